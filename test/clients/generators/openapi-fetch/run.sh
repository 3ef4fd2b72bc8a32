$TOOLS/node_modules/.bin/openapi-typescript $DOCUMENT -o email-api.ts > generator.log
. ../run-typescript.sh
