"""The way back: a workbook that finance has edited is read, compared with its plan, and accepted as a new version."""
