import { expect } from 'vitest'
import { type RawAnswer, type RawRequest, sendRaw } from '../raw-request.ts'

// Sends the requests of the R package GenomicDataCommons, and reads the answers as its functions do
// (data-commons.md 8.2). It was written for these tests from the package's behaviour.

// The package configures httr like this; libcurl adds the codings.
const HEADERS = {
  'User-Agent': 'libcurl/7.88.1 r-curl/5.2.1 httr/1.4.7',
  'Accept-Encoding': 'deflate, gzip, br, zstd',
  Accept: 'application/json, text/xml, application/xml, */*',
}
const JSON_HEADERS = { ...HEADERS, 'Content-Type': 'application/json' }

type Hit = Readonly<Record<string, unknown>>

interface Query {
  readonly fields?: readonly string[]
  readonly expand?: readonly string[]
  readonly facets?: readonly string[]
  readonly filters?: object
}

interface Response {
  readonly results: readonly Hit[]
  readonly pages: Readonly<Record<string, number | string>>
  /** Buckets by facet; undefined for a numeric facet. */
  readonly aggregations: Readonly<Record<string, readonly Bucket[] | undefined>>
}

interface Bucket {
  readonly key: string
  readonly doc_count: number
}

interface Answered {
  readonly data: {
    readonly hits: readonly Hit[]
    readonly pagination: Response['pages']
    readonly aggregations?: Readonly<Record<string, { readonly buckets?: readonly Bucket[] }>>
  }
  readonly warnings: object
}

/** The package, configured with the address of a server. */
export class GenomicDataCommons {
  readonly #address: string

  constructor(address: string) {
    this.#address = address
  }

  async status(): Promise<unknown> {
    const target = '//status?format=JSON&pretty=FALSE&size=10&from=0'
    return JSON.parse((await this.#ask({ target, headers: JSON_HEADERS })).text).status
  }

  /** `default_fields()`, which the constructor of a query calls as well. */
  async defaultFields(entity: string): Promise<readonly string[]> {
    const target = `/${entity}/_mapping?format=JSON&pretty=FALSE&size=10&from=0`
    const { defaults } = JSON.parse((await this.#ask({ target, headers: JSON_HEADERS })).text)
    return defaults
  }

  /** `response()`, which sends lists as comma-separated strings. */
  async response(entity: string, query: Query = {}, from = 0, size = 10): Promise<Response> {
    const { fields = await this.defaultFields(entity), expand, facets, filters } = query
    const { data, warnings } = await this.#post(entity, {
      fields: fields.join(','),
      ...(filters ? { filters } : {}),
      facets: (facets ?? []).join(','),
      expand: (expand ?? []).join(','),
      from,
      size,
      format: 'JSON',
      pretty: 'FALSE',
    })
    expect(warnings).toEqual({})
    const found = Object.entries(data.aggregations ?? {})
    const aggregations = Object.fromEntries(found.map(([name, { buckets }]) => [name, buckets]))
    // The package names rows by the id, so each record must have one.
    const id = `${entity.replace(/s$/, '')}_id`
    for (const hit of data.hits) expect(hit[id], `${entity} ${id}`).toEqual(expect.any(String))
    return { results: data.hits, pages: data.pagination, aggregations }
  }

  async results(entity: string, query: Query, size: number): Promise<readonly Hit[]> {
    return (await this.response(entity, query, 0, size)).results
  }

  async count(entity: string, filters?: object): Promise<number> {
    const query = filters ? { filters } : {}
    return Number((await this.response(entity, query, 0, 1)).pages.total)
  }

  async resultsAll(entity: string, query: Query = {}): Promise<readonly Hit[]> {
    return this.results(entity, query, await this.count(entity, query.filters))
  }

  async ids(entity: string, query: Query, size: number): Promise<readonly string[]> {
    return (await this.results(entity, query, size)).map(({ id }) => String(id))
  }

  /** `manifest()`, which sends neither facets nor a format. */
  async manifest(filters: object, size: number): Promise<readonly Hit[]> {
    const fields = (await this.defaultFields('files')).join(',')
    return (await this.#post('files', { fields, filters, from: 0, size })).data.hits
  }

  /** `gdcdata()`: fetches the records, then each file, and names the bytes as in the header. */
  async gdcdata(ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    // A vector of length one is written as a scalar.
    const filters = leaf('in', 'file_id', ids.length === 1 ? ids[0] : ids)
    const rows = await this.manifest(filters, await this.count('files', filters))
    expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    const files = new Map<string, Buffer>()
    for (const { id } of rows) {
      const answer = await fetch(`${this.#address}/data/${String(id)}`, { headers: HEADERS })
      expect(answer.status, String(id)).toBe(200)
      files.set(fileNameIn(answer.headers), Buffer.from(await answer.arrayBuffer()))
    }
    return files
  }

  /** `slicing(regions=)`. */
  async slicing(id: string, regions: readonly string[], token?: string): Promise<Buffer> {
    const headers = { ...JSON_HEADERS, ...(token === undefined ? {} : { 'X-Auth-Token': token }) }
    const body = JSON.stringify({ regions })
    const url = `${this.#address}/slicing/view/${id}`
    const answer = await fetch(url, { method: 'POST', headers, body })
    expect(answer.status).toBeLessThan(300)
    return Buffer.from(await answer.arrayBuffer())
  }

  async #post(entity: string, body: object): Promise<Answered> {
    const text = JSON.stringify(body)
    const asked = { method: 'POST', target: `/${entity}`, headers: JSON_HEADERS, body: text }
    return JSON.parse((await this.#ask(asked)).text)
  }

  async #ask(asked: RawRequest): Promise<RawAnswer> {
    const answer = await sendRaw(this.#address, asked)
    expect(answer.status, answer.text.slice(0, 500)).toBe(200)
    return answer
  }
}

/**
 * Finds the file's name as the package does: it splits the header at semicolons and takes the only element of
 * this name.
 */
function fileNameIn(headers: Headers): string {
  const elements = (headers.get('content-disposition') ?? '').split(/; */)
  const names = elements.filter((element) => element.split(/= */)[0] === 'filename')
  expect(names).toHaveLength(1)
  return names[0]?.split(/= */)[1] ?? ''
}

/** A condition as the package writes it. */
export function leaf(op: string, field: string, value: unknown): object {
  return { op, content: { field, value } }
}
