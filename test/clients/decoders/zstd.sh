# Prints the coding and the digest of each response that `zstd -d` has decoded.
while read -r url; do
  coding=$(curl -s -H "Accept-Encoding: zstd" -H "Authorization: Bearer $API_KEY" \
    -w '%header{content-encoding}' -o body "$url")
  if [ "$coding" = zstd ]; then mv body body.zst && zstd -dqf body.zst -o body; fi
  echo "$coding $(shasum -a 256 body | cut -d ' ' -f 1)"
done < "$1"
