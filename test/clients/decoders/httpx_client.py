"""Prints the coding and the digest of each decoded response, with httpx and its own headers."""
import hashlib, os, sys
import httpx

headers = {"Authorization": f"Bearer {os.environ['API_KEY']}"}
with httpx.Client(headers=headers, timeout=60) as client:
    for url in open(sys.argv[1]).read().split():
        response = client.get(url)
        print(response.headers.get("content-encoding"), hashlib.sha256(response.content).hexdigest())
