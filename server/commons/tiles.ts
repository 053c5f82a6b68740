import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'

const notes = {
  methods: ['GET'],
  tags: ['download'],
  pathParameters: z.object({ file_id: z.string() }),
  responses: { 404: { description: 'Tiles are not made here.' } },
} as const

/** Endpoint for tiles of slide images, which answers that there are none (docs/reference/sets.md). */
export function tileEndpoints(): readonly Endpoint[] {
  const handle = (): never => {
    const message = 'images of slides are not cut into tiles here; download the file from /data'
    throw new EngineError('not_found', message)
  }
  const position = z.string().optional()
  return Object.freeze([
    defineEndpoint({
      ...notes,
      path: '/tile/metadata/{file_id}',
      summary: 'Refused: the size of a slide image',
      handle,
    }),
    defineEndpoint({
      ...notes,
      path: '/tile/{file_id}',
      summary: 'Refused: a part of a slide image',
      parameters: z.object({ level: position, x: position, y: position }),
      handle,
    }),
  ])
}
