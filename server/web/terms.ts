import { readFileSync } from 'node:fs'
import { z } from '@hono/zod-openapi'
import { html } from 'hono/html'
import { EngineError } from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { reply } from '../http/reply.ts'
import { HTML, PAGE_HEADERS, pageText } from './page.ts'

const PLAIN = 'text/plain; charset=utf-8'

const OURS = html`<p>This service gives reference data and coding algorithms to computer systems of cancer registries.</p>
<ul>
<li>Use it with a key that was given to you, and keep the key to yourself.</li>
<li>Send nothing that names a person. Cases and tumours that you send are used to answer you and are not stored.</li>
<li>Answers come without any warranty. They are no medical advice; whoever acts on one must check it.</li>
<li>Respect the limits that the service states; it may refuse requests beyond them.</li>
<li>Licences of the reference data stand beside the data. Respect them when you pass data on.</li>
</ul>
<p>Whoever runs this service may have put other terms here; these are the ones that hold.</p>`

/** The page of an installation may have its own style, but may not run scripts or load anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/**
 * Endpoint for the terms of service (registry-service.md 1, registry.md 7.1): the built-in text, or the text of
 * a file.
 * @throws EngineError `bad_input` if the file cannot be read
 */
export function termsEndpoints(file: string | null): readonly Endpoint[] {
  const given = file === null ? undefined : givenPage(file)
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
      async handle() {
        if (given) return reply(200, given.type, given.text, { 'Content-Security-Policy': POLICY })
        const text = await pageText({ title: 'Terms of service', content: OURS })
        return reply(200, HTML, text, PAGE_HEADERS)
      },
    }),
  ])
}

function givenPage(file: string): { readonly type: string; readonly text: string } {
  try {
    return { type: /\.html?$/i.test(file) ? HTML : PLAIN, text: readFileSync(file, 'utf8') }
  } catch (cause) {
    const message = 'setting CASEMILL_TERMS: the file cannot be read; give one with text or HTML'
    throw new EngineError('bad_input', message, { cause, at: 'CASEMILL_TERMS' })
  }
}
