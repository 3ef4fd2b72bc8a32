# Installs AWS's DynamoDB Local from Maven Central and starts it on port 8001, in memory. Needs Java 17 and Maven.
set -eu
cd "$(dirname "$0")/../../node_modules"
mvn --quiet --batch-mode --file ../test/dynamodb-local dependency:copy-dependencies -DoutputDirectory="$PWD/.cache/dynamodb-local"
exec java -Djava.library.path=.cache/dynamodb-local -cp '.cache/dynamodb-local/*' \
  software.amazon.dynamodb.services.local.main.ServerRunner -inMemory -sharedDb -disableTelemetry -port 8001
