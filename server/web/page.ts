import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { reply } from '../http/reply.ts'

/** Escaped text. It is a promise if one of its parts was a promise. */
export type Markup = ReturnType<typeof html>

interface Page {
  readonly title: string
  /** Content of `main` below the heading. */
  readonly content: Markup
}

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #4a525c; --ground: #fff; --field: #f1f3f5;
  --line: #c9ced4; --link: #0a4fa3 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8eaed; --soft: #b4bbc4; --ground: #14171a; --field: #20252a; --line: #434a52;
    --link: #8cb8ff }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif }
header, main { max-width: 52rem; margin: 0 auto; padding: 1rem }
header { border-bottom: 1px solid var(--line) }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0; padding: 0; list-style: none }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 1rem 0 }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem }
a { color: var(--link) }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
pre { background: var(--field); border: 1px solid var(--line); border-radius: .25rem; padding: .75rem;
  white-space: pre-wrap; overflow-wrap: anywhere }
pre, code { font-family: ui-monospace, monospace; font-size: .9rem }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .5rem }
dl div { background: var(--field); border: 1px solid var(--line); border-radius: .25rem;
  padding: .5rem .75rem; display: flex; flex-direction: column-reverse }
dd { margin: 0; font-size: 1.25rem; font-variant-numeric: tabular-nums }
.soft { color: var(--soft) }
`

/** Allows no scripts, and loads nothing but the icon. The style is allowed by its hash. */
const policy = (formAction: "'none'" | "'self'") =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "img-src 'self'",
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join('; ')

export const HTML = 'text/html; charset=utf-8'

export const PAGE_HEADERS = Object.freeze({
  'Content-Security-Policy': policy("'none'"),
  'Referrer-Policy': 'no-referrer',
})

/** Headers of a page with a form that is submitted to this service. */
export const FORM_PAGE_HEADERS = Object.freeze({
  'Content-Security-Policy': policy("'self'"),
  // With no-referrer, browsers submit the form with a null origin.
  'Referrer-Policy': 'same-origin',
})

const LINKS = [
  ['/', 'Home'],
  ['/docs', 'API page'],
  ['/terms', 'Terms'],
] as const

/** Builds a page that works without scripts and loads nothing from other origins. */
export async function pageText({ title, content }: Page): Promise<string> {
  const name = title === 'casemill' ? title : `${title} – casemill`
  const links = LINKS.map(([path, text]) => html`<li><a href="${path}">${text}</a></li>`)
  const text = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<link rel="icon" href="/favicon.ico">
<style>${raw(STYLE)}</style>
</head>
<body>
<header><nav aria-label="Service"><ul>${links}</ul></nav></header>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`
  return String(text)
}

/** Builds the page for a browser at an unknown path. */
export async function notFoundPage(message: string): Promise<Response> {
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`
  const content = html`<p>${/[.?]$/.test(sentence) ? sentence : `${sentence}.`}</p>
<ul>
<li><a href="/">What this service is</a></li>
<li><a href="/docs">All paths, with forms to try them</a></li>
<li><a href="/openapi.json">The same for programs: OpenAPI 3.1</a></li>
</ul>`
  return reply(404, HTML, await pageText({ title: 'Not found', content }), PAGE_HEADERS)
}
