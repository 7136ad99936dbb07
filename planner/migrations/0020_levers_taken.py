from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("planner", "0019_outlook_unmailed"),
    ]

    operations = [
        migrations.AddField(
            model_name="workload",
            name="levers_taken",
            field=models.JSONField(
                blank=True,
                editable=False,
                help_text="Levers that the draft has taken, and what each field held before.",
                null=True,
            ),
        ),
    ]
