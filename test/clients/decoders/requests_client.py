"""Prints the coding and the digest of each decoded response, with requests and its own headers."""
import hashlib, os, sys
import requests

headers = {"Authorization": f"Bearer {os.environ['API_KEY']}"}
with requests.Session() as client:
    for url in open(sys.argv[1]).read().split():
        response = client.get(url, headers=headers)
        print(response.headers.get("content-encoding"), hashlib.sha256(response.content).hexdigest())
