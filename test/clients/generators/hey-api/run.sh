$TOOLS/node_modules/.bin/openapi-ts -i $DOCUMENT -o generated > generator.log
. ../run-typescript.sh
