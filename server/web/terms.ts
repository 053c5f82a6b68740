import { readFileSync } from 'node:fs'
import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { reply } from '../http/reply.ts'

const HTML = 'text/html; charset=utf-8'
const PLAIN = 'text/plain; charset=utf-8'

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Terms of service</title>
<h1>Terms of service</h1>
<p>This service gives reference data and coding algorithms to computer systems of cancer registries.</p>
<ul>
<li>Use it with a key that was given to you, and keep the key to yourself.</li>
<li>Send nothing that names a person. Cases and tumours that you send are used to answer you and are not stored.</li>
<li>Answers come without any warranty. They are no medical advice; whoever acts on one must check it.</li>
<li>Respect the limits that the service states; it may refuse requests beyond them.</li>
<li>Licences of the reference data stand beside the data. Respect them when you pass data on.</li>
</ul>
<p>Whoever runs this service may have put other terms here; these are the ones that hold.</p>
</html>
`

/** Nothing of the page may run or load anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/**
 * The terms of service (registry-service.md 1, registry.md 7.1): of our own wording, or those of a file.
 * @throws EngineError `bad_input` when the file cannot be read
 */
export function termsEndpoints(file: string | null): readonly Endpoint[] {
  const page = file === null ? PAGE : contentOf(file)
  const type = file === null || /\.html?$/i.test(file) ? HTML : PLAIN
  return Object.freeze([
    defineEndpoint({
      methods: ['GET'],
      path: '/terms',
      summary: 'The terms of service',
      tags: ['system'],
      responses: {
        200: {
          description: 'A page',
          content: { 'text/html': z.string(), 'text/plain': z.string() },
        },
      },
      handle: () =>
        reply(200, type, page, {
          'Content-Security-Policy': POLICY,
          'X-Content-Type-Options': 'nosniff',
        }),
    }),
  ])
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const message = 'setting CASEMILL_TERMS: the file cannot be read; give one with text or HTML'
    throw new EngineError('bad_input', message, { cause, at: 'CASEMILL_TERMS' })
  }
}
