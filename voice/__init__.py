"""How findings are put into words: `say(finding, voice)` is the one place where a code and its values become a sentence.

`sentences/` holds one template for each code, `terms` the names of the engine's own few words, `speech` fills templates,
`writing` writes numbers, days and money as they are written where a reader lives (Unicode CLDR, by Babel), and `catalogs`
reads translations (.po). Nothing here depends on anything but its arguments.
"""
