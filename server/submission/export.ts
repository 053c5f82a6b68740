import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import type { Submissions, SubmittedExport } from '../../engine/submission/index.ts'
import { TEMPLATE_FORMATS } from '../../engine/submission/internal.ts'
import { idsParameter } from '../commons/download-parameters.ts'
import { attachment } from '../http/disposition.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import {
  type CallerEngine,
  PROJECT_PATH,
  projectNames,
  projectRequestOf,
  RESERVED,
  SUBMISSION_TAGS,
  strictParameter,
  TOKEN_NEEDED,
  UNCACHED,
} from './call.ts'
import { readFormat } from './dictionary.ts'

export interface ExportEngine extends CallerEngine {
  readonly export: Pick<Submissions['export'], 'export'>
}

const parameters = idsParameter.extend({
  node_label: strictParameter('node_label', readWord, {
    type: 'string',
    description: 'An entity type: all entities of it, where no ids are given.',
    example: 'sample',
  }),
  format: strictParameter('format', readWord, {
    type: 'string',
    enum: [...TEMPLATE_FORMATS],
    default: 'tsv',
    description: 'The form of the export.',
  }),
  with_children: strictParameter('with_children', isOn, {
    type: 'string',
    description: 'All that is below the entities, too: on with any text but `false`.',
  }),
  category: strictParameter('category', readWord, {
    type: 'string',
    description: 'Categories of descendants, separated by commas; all if absent.',
    example: 'clinical',
  }),
  without_id: strictParameter('without_id', isOn, {
    type: 'string',
    description: 'Leaves ids out, so that the entities can be created elsewhere.',
  }),
})

const CONTENT_TYPES: Readonly<Record<SubmittedExport['kind'], string>> = {
  json: 'application/json',
  tsv: 'application/octet-stream',
  csv: 'application/octet-stream',
  'tar.gz': 'application/x-gzip',
}

/** Endpoints that export entities in a form that can be submitted again (submission.md 12). */
export function exportEndpoints(engine: ExportEngine): readonly Endpoint[] {
  return Object.freeze([
    defineEndpoint({
      methods: ['GET', 'POST'],
      path: `${PROJECT_PATH}/export`,
      summary: 'Entities as documents and tables',
      description:
        'By `ids`, or all of a type by `node_label`. An export can be submitted again by PUT. ' +
        'Tables of several types are returned as a tar.gz with one table for each. In a table, ' +
        'an entity with several parents has numbered columns for them, and lists have `|` ' +
        'between their values.',
      tags: SUBMISSION_TAGS,
      compress: true,
      pathParameters: projectNames,
      reserved: RESERVED,
      parameters,
      responses: {
        200: {
          description: 'The entities',
          content: Object.fromEntries(
            Object.values(CONTENT_TYPES).map((type) => [type, z.unknown()]),
          ),
        },
        400: { description: 'Neither ids nor a type are given, or the format is not supported.' },
        403: { description: 'The token is not good, or its user may not read the project.' },
        404: { description: 'There is no such project, or it has none of the entities.' },
      },
      security: TOKEN_NEEDED,
      async handle(call) {
        const input = await call.input()
        const found = await engine.export.export(
          {
            ...(await projectRequestOf(call, engine)),
            ids: input.ids,
            nodeLabel: input.node_label,
            format: readFormat(input.format),
            withChildren: input.with_children ?? false,
            categories: input.category?.split(',').map((name) => name.trim()) ?? [],
            withoutIds: input.without_id ?? false,
          },
          { signal: call.signal },
        )
        return call.stream(found, {
          status: 200,
          headers: {
            ...UNCACHED,
            Vary: 'Accept-Encoding',
            'Content-Type': CONTENT_TYPES[found.kind],
            'Content-Disposition': attachment(found.fileName),
          },
        })
      },
    }),
  ])
}

const MAX_CHARACTERS = 1000

function readWord(given: unknown): string | undefined {
  if (typeof given === 'string' && given.length <= MAX_CHARACTERS) return given.trim() || undefined
  const message = `a parameter is not one text of at most ${MAX_CHARACTERS} characters`
  throw new EngineError('bad_input', message)
}

/** Parses a flag. Clients send the flag's own name, `true`, and other words (submission.md 12). */
function isOn(given: unknown): boolean {
  const word = String(given).slice(0, MAX_CHARACTERS).trim().toLowerCase()
  return word !== '' && word !== 'false'
}
