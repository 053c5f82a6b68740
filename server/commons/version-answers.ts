import { z } from '@hono/zod-openapi'
import type { ResponseNote } from '../http/endpoint.ts'

type Responses = Readonly<Record<number, ResponseNote>>

const text = z.string().nullable()
const size = z.int().nullable().openapi({ description: 'Bytes.' })

const history = z
  .object({
    uuid: z.string(),
    version: text,
    file_change: z.enum(['superseded', 'released', 'redacted']),
    release_date: text.openapi({
      description: 'YYYY-MM-DD; null for a release that is unknown to this server.',
    }),
    data_release: text.openapi({ description: 'Release that first contained this version.' }),
  })
  .openapi('HistoryRecord')

const version = z
  .object({
    id: z.string(),
    filename: text,
    version: text,
    md5: text,
    size,
    state: text,
    release: text.openapi({ description: 'Release that first contained this version.' }),
    latest_id: text.openapi({ description: 'The same as `id` for a file that is the latest.' }),
    latest_filename: text,
    latest_version: text,
    latest_md5: text,
    latest_size: size,
    latest_state: text,
    latest_release: z
      .array(z.string())
      .openapi({ description: 'Releases known here that hold the latest version.' }),
  })
  .openapi('VersionRecord')

const unchanged: ResponseNote = { description: 'The client already has this response (`ETag`).' }
const table = { 'text/tab-separated-values': z.string(), 'text/csv': z.string() }

export const historyResponses: Responses = Object.freeze({
  200: {
    description: 'The versions in order; unknown values are null',
    content: { 'application/json': z.array(history), ...table },
  },
  304: unchanged,
})

export const versionResponses: Responses = Object.freeze({
  200: {
    description: 'Files in the order of the request; unknown values are null',
    content: { 'application/json': z.array(version), ...table },
  },
  304: unchanged,
})
