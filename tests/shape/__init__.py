"""The shape of the code in numbers: `python -m tests.shape`, and its layers as a picture.

python -m tests.shape                               the table
python -m tests.shape --at d6fa2da                  the same beside an older revision
python -m tests.shape --list private-words          what one of the numbers counts
python -m tests.shape --picture docs/layers.svg     the layers, drawn from the imports
"""
