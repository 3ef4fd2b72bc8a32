PATH="$TOOLS/python/bin:$PATH"
python -m openapi_python_client generate --path $DOCUMENT --output-path generated > generator.log
PYTHONPATH=generated python client.py
