java -jar $TOOLS/openapi-generator-cli.jar generate -g python -i $DOCUMENT -o generated > generator.log
PYTHONPATH=generated $TOOLS/python/bin/python client.py
