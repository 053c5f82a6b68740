import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { reply } from '../http/reply.ts'

const assetTypes = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
  'start.js': 'text/javascript; charset=utf-8',
} as const

type Asset = keyof typeof assetTypes

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>casemill API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="api"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`

// Apart from the page because the policy below allows no inline script. The validator badge of
// Swagger UI would be an outside request.
const start = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  validatorUrl: null,
})
`

// Swagger UI sets styles inline and has its icons as data URLs in its style sheet.
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

/** The API page. Everything it loads comes from here, so that it works without the internet. */
export function docsEndpoints(): readonly Endpoint[] {
  // The package carries the files of Swagger UI. Swagger UI's own has an install script beneath it.
  const manifest = createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')
  const folder = join(dirname(manifest), 'static')
  return Object.freeze([
    defineEndpoint({
      methods: ['GET'],
      path: '/docs',
      summary: 'The API page',
      tags: ['system'],
      responses: { 200: { description: 'HTML', content: { 'text/html': z.string() } } },
      handle: () =>
        reply(200, 'text/html; charset=utf-8', page, {
          'Content-Security-Policy': policy,
          'X-Content-Type-Options': 'nosniff',
        }),
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/docs/{asset}',
      summary: 'A part of the API page',
      tags: ['system'],
      pathParameters: z.object({ asset: z.string() }),
      responses: { 200: { description: 'Script, style or image' } },
      async handle({ path: { asset } }) {
        if (!isAsset(asset)) throw new EngineError('not_found', 'the API page has no such part')
        return reply(200, assetTypes[asset], await assetBody(folder, asset), {
          'Cache-Control': 'public, max-age=3600',
          'X-Content-Type-Options': 'nosniff',
        })
      },
    }),
  ])
}

function isAsset(name: string): name is Asset {
  return Object.hasOwn(assetTypes, name)
}

async function assetBody(folder: string, asset: Asset): Promise<string | Uint8Array<ArrayBuffer>> {
  return asset === 'start.js' ? start : new Uint8Array(await readFile(join(folder, asset)))
}
