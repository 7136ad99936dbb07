// A plan from TypeScript: estimate, freeze, submit, read the budget, hear what happened. The types come from the server's own
// description; --default-non-nullable=false, because a field of a request with a default may be left out:
//
//   npm install openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3
//   npx openapi-typescript "$SEXTANT_URL/api/v1/openapi.json" --default-non-nullable=false -o sextant.d.ts
//   npx tsc --strict --module nodenext --target es2022 journey.ts && node journey.js
import createClient from "openapi-fetch";
import type { components, paths } from "./sextant.js";

declare const process: { env: Record<string, string | undefined> };

type Spec = components["schemas"]["Spec"];

const api = createClient<paths, "application/json">({
  baseUrl: process.env.SEXTANT_URL ?? "http://localhost:8000",
  headers: { Authorization: `Bearer ${process.env.SEXTANT_TOKEN}` },
});

/** The answer, or what was refused in the words of the server, field by field. */
function taken<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data !== undefined) return answer.data;
  const problem = answer.error as components["schemas"]["ProblemBody"];
  throw new Error([problem.detail, ...(problem.errors ?? []).map((fault) => fault.detail)].join("\n"));
}

const spec: Spec = {
  name: "From TypeScript",
  workload: "training",
  model: "llama-3.1-70b",
  training: { method: "continue", tokens: 15e9, sequence_length: 8192 },
  constraints: { deadline_days: 21 },
};

const estimate = taken(await api.POST("/api/v1/estimates", { body: spec }));
const total = estimate.recommended?.cost.total;
console.log(estimate.headline.text);
console.log(`P10 to P90: ${total?.low} to ${total?.high} ${total?.currency}`);

const plan = taken(await api.POST("/api/v1/plans", { body: spec }));
const at = { path: { plan_id: plan.id, number: 1 } };
const submitted = taken(
  await api.POST("/api/v1/plans/{plan_id}/versions/{number}/approvals", { params: at, body: { action: "submit" } }),
);
console.log(`${submitted.plan_id} v${submitted.number} is ${submitted.state}`);

const budget = taken(await api.GET("/api/v1/plans/{plan_id}/budget-lines", { params: { path: { plan_id: plan.id } } }));
if (typeof budget !== "string" && "total" in budget) console.log(`${budget.data.length} lines, ${budget.total} in all`);

const events = taken(await api.GET("/api/v1/events", { params: { query: { type: "plan.submitted" } } }));
console.log(events.data.map((event) => `${event.timestamp} ${event.type}`).join("\n"));
