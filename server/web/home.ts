import { z } from '@hono/zod-openapi'
import { html } from 'hono/html'
import type { Commons } from '../../engine/commons/index.ts'
import type { StatusFacts } from '../commons/system.ts'
import type { Config } from '../config.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { etagOf } from '../http/etag.ts'
import { originOf } from '../http/origin.ts'
import { reply } from '../http/reply.ts'
import { EXPLORER_HEADERS, type Explorer } from './explorer.ts'
import { HTML, type Markup, PAGE_HEADERS, pageText } from './page.ts'

export type HomeEngine = Pick<Commons, 'releaseFacts' | 'releaseLoad'>

/** A mill wheel, in one colour that is visible on light and dark backgrounds. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<g fill="none" stroke="#2f7dd1" stroke-width="3">
<circle cx="16" cy="16" r="9"/>
<path d="M16 2v28M2 16h28M6.1 6.1l19.8 19.8M25.9 6.1 6.1 25.9"/>
</g>
</svg>
`

interface HomeOptions {
  readonly status: StatusFacts
  readonly config: Pick<Config, 'host' | 'port' | 'trustedProxies'>
  /** Whether people can log in at an institution. */
  readonly hasLogin: boolean
  /** Returns the explorer. Resolves once it is built, to undefined if it cannot be built. */
  readonly explorer: () => Promise<Explorer | undefined>
}

/** Endpoints for a browser at the root of the service: the explorer, or else a page without scripts. */
export function homeEndpoints(
  engine: HomeEngine,
  { status: { tag }, config, explorer, hasLogin }: HomeOptions,
): readonly Endpoint[] {
  return Object.freeze([
    defineEndpoint({
      methods: ['GET'],
      path: '/',
      summary: 'Overview of this service, for browsers',
      tags: ['system'],
      responses: { 200: { description: 'HTML', content: { 'text/html': z.string() } } },
      async handle({ headers, unchanged }) {
        const content = contentOf(engine, tag, originOf(headers, config))
        const made = await explorer()
        const text = made
          ? await made.document(content, hasLogin)
          : await pageText({ title: 'casemill', content })
        const etag = etagOf([text])
        const head = { ...(made ? EXPLORER_HEADERS : PAGE_HEADERS), 'Cache-Control': 'no-cache' }
        return unchanged(etag, head) ?? reply(200, HTML, text, { ...head, ETag: etag })
      },
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/favicon.ico',
      summary: 'The icon of the pages',
      tags: ['system'],
      responses: { 200: { description: 'SVG', content: { 'image/svg+xml': z.string() } } },
      handle: () =>
        reply(200, 'image/svg+xml', ICON, {
          'Cache-Control': 'public, max-age=86400',
          'Content-Security-Policy': "default-src 'none'",
        }),
    }),
  ])
}

/** Builds the content of the page. Record counts are public, because everybody may search all records. */
function contentOf(engine: HomeEngine, tag: string, address: string): Markup {
  const facts = engine.releaseFacts()
  return html`<p>A cancer cohort, served over the interfaces of a genomic data commons and of a cancer registry.</p>
<p class="soft">Version ${tag}. ${facts ? `${facts.dataRelease} of ${facts.version.releaseDate}.` : 'No release is served yet.'}</p>
${facts ? numbersOf(engine) : ''}
<h2>Begin here</h2>
<ul>
<li><a href="/docs">API page</a>: every path, with forms to try it</li>
<li><a href="/openapi.json">openapi.json</a>: the same for programs</li>
<li><a href="/status">Status</a> and health: <a href="/health/ready">ready</a>, <a href="/health/dependencies">dependencies</a>, <a href="/metrics">metrics</a></li>
<li><a href="/terms">Terms of service</a></li>
</ul>
<h2>First commands</h2>
<p>Searches need no token. The registry below <code>/rest</code> needs a key, controlled files and submission need a token.</p>
<pre><code>${firstCommands(address).join('\n')}</code></pre>
<h2>Documents</h2>
<p>The folder of the program has them: <code>README.md</code> to begin with, <code>docs/</code> for all else.</p>`
}

function numbersOf(engine: HomeEngine): Markup {
  const { records } = engine.releaseLoad() ?? {}
  const shown = Object.entries(records ?? {}).map(
    ([name, count]) =>
      html`<div><dt><a href="/${name}?pretty=true">${name.replaceAll('_', ' ')}</a></dt><dd>${count.toLocaleString('en')}</dd></div>`,
  )
  return html`<h2>What is in it</h2>
<dl>${shown}</dl>`
}

const firstCommands = (address: string) => [
  `curl -s '${address}/status'`,
  `curl -s '${address}/cases?facets=primary_site&size=0&pretty=true'`,
  `curl -s '${address}/files?fields=file_name,access,file_size&format=tsv&size=20' -o files.tsv`,
  `curl -s -G '${address}/cases' --data-urlencode 'filters={"op":"in","content":{"field":"primary_site","value":["Kidney"]}}'`,
  `curl -s '${address}/files?return_type=manifest' -o manifest.txt`,
]
