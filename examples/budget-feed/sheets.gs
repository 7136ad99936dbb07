// Google Sheets: Extensions, Apps Script. Set the script properties SEXTANT_URL and SEXTANT_TOKEN (scope plans:read), run
// `refresh`, and give it a daily trigger. The sheet “Budget” is written anew each time.
function refresh() {
  const held = PropertiesService.getScriptProperties();
  const answer = UrlFetchApp.fetch(held.getProperty('SEXTANT_URL') + '/api/v1/budget-lines?format=focus-csv', {
    headers: {Authorization: 'Bearer ' + held.getProperty('SEXTANT_TOKEN')},
  });
  const rows = Utilities.parseCsv(answer.getContentText());
  const book = SpreadsheetApp.getActive();
  const sheet = book.getSheetByName('Budget') || book.insertSheet('Budget');
  sheet.clearContents();
  sheet.getRange(1, 1, rows.length, rows[0].length).setValues(rows);
}
