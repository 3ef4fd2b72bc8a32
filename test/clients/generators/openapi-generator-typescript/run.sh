java -jar $TOOLS/openapi-generator-cli.jar generate -g typescript-fetch -i $DOCUMENT -o generated > generator.log
. ../run-typescript.sh
