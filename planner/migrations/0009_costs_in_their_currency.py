from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("planner", "0008_signed")]

    operations = [
        operation
        for model in ("planversion", "scenario")
        for operation in (
            migrations.RenameField(model, "cost_usd", "cost"),
            migrations.RenameField(model, "signed_usd", "signed"),
            migrations.AddField(model, "currency", models.CharField(default="USD", editable=False, max_length=3)),
        )
    ]
