import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { type Prepared, prepare } from '../http/prepared.ts'
import { HTML } from './page.ts'
import { START, STYLE } from './swagger-start.ts'

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API – casemill</title>
<link rel="icon" href="/favicon.ico">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/start.css">
</head>
<body>
<main id="api"><noscript><p>The forms of this page need scripts. Programs and people find the same in
<a href="/openapi.json">openapi.json</a>.</p></noscript></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

// Swagger UI sets inline styles, and its style sheet has icons as data URLs.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const SCRIPT_TYPE = 'text/javascript; charset=utf-8'
const STYLE_TYPE = 'text/css; charset=utf-8'

/** Endpoints of the API page. The page loads everything from this server, so it works without internet access. */
export function docsEndpoints(): readonly Endpoint[] {
  // Source of the files of Swagger UI. Swagger's own package depends on a package with an install script.
  const manifest = createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')
  const carried = (name: string) => readFileSync(join(dirname(manifest), 'static', name), 'utf8')
  const document = prepare(HTML, () => page)
  const assets: ReadonlyMap<string, () => Prepared> = new Map([
    ['start.js', prepare(SCRIPT_TYPE, () => START)],
    ['start.css', prepare(STYLE_TYPE, () => STYLE)],
    ['swagger-ui-bundle.js', prepare(SCRIPT_TYPE, () => carried('swagger-ui-bundle.js'))],
    ['swagger-ui.css', prepare(STYLE_TYPE, () => carried('swagger-ui.css'))],
  ])
  return Object.freeze([
    defineEndpoint({
      methods: ['GET'],
      path: '/docs',
      summary: 'The API page',
      tags: ['system'],
      compress: true,
      responses: { 200: { description: 'HTML', content: { 'text/html': z.string() } } },
      handle: ({ send }) => send(document(), { 'Content-Security-Policy': policy }),
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/docs/{asset}',
      summary: 'A part of the API page',
      tags: ['system'],
      compress: true,
      pathParameters: z.object({ asset: z.string() }),
      responses: { 200: { description: 'Script or style' } },
      async handle({ path: { asset }, send }) {
        const part = assets.get(asset)
        if (part === undefined) throw new EngineError('not_found', 'the API page has no such part')
        // The page is cached for an hour, so that an upgrade soon takes effect. Revalidation gives 304.
        return send(part(), { 'Cache-Control': 'public, max-age=3600' })
      },
    }),
  ])
}
