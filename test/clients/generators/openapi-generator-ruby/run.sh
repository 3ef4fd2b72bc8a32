java -jar $TOOLS/openapi-generator-cli.jar generate -g ruby -i $DOCUMENT -o generated > generator.log
ruby -I generated/lib client.rb
