from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_approvals_by_token"),
    ]

    operations = [
        migrations.AddField(
            model_name="auditevent",
            name="address",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Where the request came from; empty: not from a request.",
                max_length=64,
            ),
        ),
    ]
