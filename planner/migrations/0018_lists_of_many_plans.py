from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("planner", "0017_approval_proof"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="workload", name="workload_team_recent"),
        migrations.AddIndex(
            model_name="workload",
            index=models.Index(
                fields=["team", "-updated_at", "name", "archived_at", "id"], name="workload_team_changed"
            ),
        ),
        migrations.AddIndex(
            model_name="workload",
            index=models.Index(
                fields=["team", "-created_at", "-id", "archived_at", "restored_at"], name="workload_team_made"
            ),
        ),
        migrations.AddIndex(
            model_name="workload",
            index=models.Index(fields=["team", "name", "id", "archived_at"], name="workload_team_named"),
        ),
    ]
