"""Lists show what is signed as a whole beside the expected cost."""

from django.db import migrations, models


def _column() -> models.DecimalField:
    return models.DecimalField(
        max_digits=18,
        decimal_places=2,
        null=True,
        editable=False,
        help_text="What is signed as a whole; none = nothing.",
    )


class Migration(migrations.Migration):
    dependencies = [("planner", "0007_one_waits_one_approved")]

    operations = [
        migrations.AddField(model_name="planversion", name="signed_usd", field=_column()),
        migrations.AddField(model_name="scenario", name="signed_usd", field=_column()),
    ]
