# Prints the coding and the digest of each decoded response, with curl --compressed.
while read -r url; do
  coding=$(curl -s --compressed -H "Authorization: Bearer $API_KEY" -w '%header{content-encoding}' -o body "$url")
  echo "$coding $(shasum -a 256 body | cut -d ' ' -f 1)"
done < "$1"
