// Passkeys: asks the server what to do, lets the browser do it, and sends the answer in a form. Nothing else.
(function () {
  "use strict";

  function bytes(text) {
    var plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    return Uint8Array.from(plain, function (letter) { return letter.charCodeAt(0); });
  }

  function text(buffer) {
    var plain = String.fromCharCode.apply(null, new Uint8Array(buffer));
    return btoa(plain).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }

  function opened(options) {
    options.challenge = bytes(options.challenge);
    if (options.user) options.user.id = bytes(options.user.id);
    ["excludeCredentials", "allowCredentials"].forEach(function (name) {
      (options[name] || []).forEach(function (item) { item.id = bytes(item.id); });
    });
    return options;
  }

  function closed(credential) {
    var answer = credential.response;
    var response = { clientDataJSON: text(answer.clientDataJSON) };
    ["attestationObject", "authenticatorData", "signature", "userHandle"].forEach(function (name) {
      if (answer[name]) response[name] = text(answer[name]);
    });
    if (answer.getTransports) response.transports = answer.getTransports();
    return JSON.stringify({
      id: credential.id,
      rawId: text(credential.rawId),
      type: credential.type,
      authenticatorAttachment: credential.authenticatorAttachment,
      clientExtensionResults: {},
      response: response
    });
  }

  function sentence(error) {
    if (error.name === "NotAllowedError") return "It was cancelled, or took too long. Try again.";
    if (error.name === "InvalidStateError") return "This device holds a passkey of yours already.";
    if (error.name === "SecurityError") return "The browser takes no passkey at this address.";
    return error.told || "That did not work. Try again, or go another way.";
  }

  function ask(form) {
    var token = form.querySelector("[name=csrfmiddlewaretoken]").value;
    return fetch(form.dataset.options, { method: "POST", headers: { "X-CSRFToken": token }, credentials: "same-origin" })
      .then(function (answer) {
        if (answer.ok) return answer.json();
        throw { told: "The page is too old. Load it again and retry." };
      });
  }

  document.querySelectorAll("form[data-passkey]").forEach(function (form) {
    var button = form.querySelector("[data-passkey-go]");
    var say = form.querySelector("[data-passkey-say]");
    if (!button) return;
    if (!window.PublicKeyCredential) {
      say.textContent = "This browser knows no passkeys.";
      return;
    }
    button.hidden = false;
    form.addEventListener("submit", function (event) {
      if (form.elements.credential.value) return;
      event.preventDefault();
      button.setAttribute("aria-disabled", "true");
      say.textContent = "Follow your browser or device…";
      ask(form).then(function (options) {
        var wanted = { publicKey: opened(options) };
        return form.dataset.passkey === "make" ? navigator.credentials.create(wanted) : navigator.credentials.get(wanted);
      }).then(function (credential) {
        form.elements.credential.value = closed(credential);
        form.submit();
      }).catch(function (error) {
        say.textContent = sentence(error);
        button.removeAttribute("aria-disabled");
      });
    });
  });
})();
