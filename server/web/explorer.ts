import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from '@hono/zod-openapi'
import { html, raw } from 'hono/html'
import { EngineError } from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { type Prepared, prepare } from '../http/prepared.ts'
import type { Markup } from './page.ts'

/** The bundled explorer: a single HTML document with its scripts and styles. */
export interface Explorer {
  /** @param hasLogin whether people can log in at an institution, for which the explorer then has a page */
  readonly document: (content: Markup, hasLogin?: boolean) => Promise<string>
  /** Parts keyed by name. The names change with their content. */
  readonly parts: ReadonlyMap<string, () => Prepared>
}

/** File that lists the parts. Its name does not change. */
const LIST = 'bundle.json'

const Bundle = z.object({ script: z.string(), style: z.string(), parts: z.array(z.string()) })

/**
 * Opens a folder made by `tools/explorer/bundle.ts`. Parts are read on first request.
 * @throws Error if it is not such a folder
 */
export async function openExplorer(folder: string): Promise<Explorer> {
  const text = await readFile(join(folder, LIST), 'utf8')
  const { script, style, parts } = Bundle.parse(JSON.parse(text))
  return {
    document: (content, hasLogin = false) => documentOf({ script, style, content, hasLogin }),
    parts: new Map([
      [LIST, prepare('application/json', () => text)],
      ...parts.map((name): [string, () => Prepared] => [
        name,
        prepare(typeOf(name), () => readFileSync(join(folder, name), 'utf8')),
      ]),
    ]),
  }
}

const typeOf = (name: string) =>
  name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8'

interface DocumentParts {
  readonly script: string
  readonly style: string
  /** Content that is shown without scripts. */
  readonly content: Markup
  readonly hasLogin: boolean
}

const documentOf = async ({ script, style, content, hasLogin }: DocumentParts) =>
  String(
    await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>casemill</title>${hasLogin ? LOGIN_MARK : ''}
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="/explorer/${style}">
<script type="module" src="/explorer/${script}"></script>
</head>
<body>
<div id="app"><noscript><main>
<h1>casemill</h1>
${content}
</main></noscript></div>
</body>
</html>
`,
  )

/** Tells the explorer that people can log in (explorer/frame/has-login.ts). */
const LOGIN_MARK = raw('\n<meta name="casemill-login" content="yes">')

/** Hash of the style that Observable Plot adds to each figure. */
const PLOT_STYLE = 'sha256-jSYQUrW7J0b3jPqhZP9C2Xh1PyJKHKXd4s0fpGGKrww='

/** Hashes of the styles that igv.js adds: of its colour picker and its circular view. */
const IGV_STYLES = [
  'sha256-ITHmamcImsZ/Je1xrdtDLZVvRSpj1Zokb6uHXORB824=',
  'sha256-NTwDUA6nIvRRpI2lIBtHJqkV0TlTj4HVmI6vI81fIfM=',
]

/**
 * The page loads nothing from other origins and runs no inline script. Blobs are needed to save figures; forms save
 * tables whose filters are too long for a link.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${[PLOT_STYLE, ...IGV_STYLES].map((hash) => `'${hash}'`).join(' ')}`,
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

export const EXPLORER_HEADERS = Object.freeze({
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
})

/** Endpoints for the parts of the explorer. Its document is at `/` (home.ts). */
export function explorerEndpoints(
  explorer: () => Promise<Explorer | undefined>,
): readonly Endpoint[] {
  return Object.freeze([
    defineEndpoint({
      methods: ['GET'],
      path: '/explorer/{part}',
      summary: 'A script or style of the explorer; bundle.json names them',
      tags: ['system'],
      compress: true,
      pathParameters: z.object({ part: z.string() }),
      responses: { 200: { description: 'Script or style' } },
      async handle({ path: { part }, send }) {
        const found = (await explorer())?.parts.get(part)
        if (found === undefined) throw new EngineError('not_found', 'the explorer has no such part')
        // A part with other content gets another name, so parts can be cached forever.
        const lasts = part === LIST ? 'no-cache' : 'public, max-age=31536000, immutable'
        return send(found(), { 'Cache-Control': lasts })
      },
    }),
  ])
}
