import { z } from '@hono/zod-openapi'
import type { DrsBlob, DrsObject } from '../../engine/commons/index.ts'

/** Where the service says that it is: scheme, host and port, and the prefix of the request. */
export interface Address {
  /** @example 'https://data.example.org' */
  readonly origin: string
  /** What paths of this service begin with. */
  readonly prefix: string
}

/** The only way to bytes that has to be asked for by `/access/{access_id}`. */
export const HTTPS_ACCESS = 'https'

/** Formats that `/reads` and `/variants` serve, and where. */
const HTSGET_PATHS: Readonly<Record<string, string>> = {
  BAM: '/reads/',
  CRAM: '/reads/',
  VCF: '/variants/',
  BCF: '/variants/',
}

/** Types of the formats that have one of their own. */
const MIME_TYPES: Readonly<Record<string, string>> = {
  BAM: 'application/vnd.ga4gh.bam',
  CRAM: 'application/vnd.ga4gh.cram',
  JSON: 'application/json',
  TSV: 'text/tab-separated-values',
  TXT: 'text/plain',
  HDF5: 'application/x-hdf5',
  'BCR XML': 'application/xml',
  XML: 'application/xml',
}

/** An object as the interface shows it (DRS 1.5, DrsObject). */
export function drsObject(object: DrsObject, address: Address) {
  const { id, name, size, createdAt, updatedAt, checksums, description, aliases } = object
  const shared = {
    id,
    name,
    self_uri: drsUri(id, address),
    size,
    created_time: createdAt.toISOString(),
    updated_time: updatedAt.toISOString(),
    checksums,
    ...(description === undefined ? {} : { description }),
    ...(aliases.length === 0 ? {} : { aliases }),
  }
  if (object.kind === 'blob') {
    const mimeType = MIME_TYPES[formatOf(object)] ?? 'application/octet-stream'
    return { ...shared, mime_type: mimeType, access_methods: accessMethods(object, address) }
  }
  const contents = object.contents.map((one) => ({
    ...one,
    drs_uri: [drsUri(one.id, address)],
  }))
  return { ...shared, version: object.version, contents }
}

/** @example drsUri(id, { origin: 'https://data.example.org', prefix: '' }) // 'drs://data.example.org/...' */
export const drsUri = (id: string, { origin }: Pick<Address, 'origin'>): string =>
  `drs://${new URL(origin).host}/${encodeURIComponent(id)}`

const formatOf = ({ dataFormat = '' }: DrsBlob) => dataFormat.toUpperCase()

/** Everybody's bytes have their address here; others have it given out by who they are asked by. */
function accessMethods(blob: DrsBlob, { origin, prefix }: Address) {
  const { id, isOpen, isStored } = blob
  const base = `${origin}${prefix}`
  const https = isOpen
    ? { access_url: { url: `${base}/data/${id}` } }
    : { access_id: HTTPS_ACCESS, authorizations: drsAuthorizations(blob) }
  const path = HTSGET_PATHS[formatOf(blob)]
  const htsget =
    path && isStored ? [{ type: 'htsget', access_url: { url: `${base}${path}${id}` } }] : []
  return [{ type: 'https', ...https, available: isStored }, ...htsget]
}

/** How a request for an object is authorised. */
export function drsAuthorizations({ id, isOpen }: Pick<DrsBlob, 'id' | 'isOpen'>) {
  return { drs_object_id: id, supported_types: [isOpen ? 'None' : 'BearerAuth'] }
}

const authorizations = z.object({
  drs_object_id: z.string().optional(),
  supported_types: z.array(z.string()),
})

export const accessUrlShape = z.object({
  url: z.string(),
  headers: z.array(z.string()).optional(),
})

export const drsObjectShape = z
  .object({
    id: z.string(),
    name: z.string(),
    self_uri: z.string(),
    size: z.int(),
    created_time: z.iso.datetime(),
    updated_time: z.iso.datetime(),
    version: z.string().optional(),
    mime_type: z.string().optional(),
    checksums: z.array(z.object({ type: z.string(), checksum: z.string() })),
    access_methods: z
      .array(
        z.object({
          type: z.string(),
          access_url: accessUrlShape.optional(),
          access_id: z.string().optional(),
          available: z.boolean().optional(),
          authorizations: authorizations.optional(),
        }),
      )
      .optional(),
    contents: z
      .array(z.object({ id: z.string(), name: z.string(), drs_uri: z.array(z.string()) }))
      .optional(),
    description: z.string().optional(),
    aliases: z.array(z.string()).optional(),
  })
  .openapi('DrsObject')

export const authorizationsShape = authorizations.openapi('DrsAuthorizations')
