java -jar $TOOLS/openapi-generator-cli.jar generate -g java -i $DOCUMENT -o generated > generator.log
mvn --quiet --batch-mode --file generated dependency:copy-dependencies -DincludeScope=compile \
  -DoutputDirectory="$PWD/jars" > maven.log
javac -nowarn -cp 'jars/*' -d classes $(find generated/src/main -name '*.java') Main.java 2> javac.log
java -cp 'classes:jars/*' Main
