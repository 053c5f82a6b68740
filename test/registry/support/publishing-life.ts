import { expect, test } from 'vitest'
import type { Role } from '../../../engine/shared/index.ts'
import type { AreaTable, DescribedArea, Step } from './area-tests.ts'

// The life of a record, as tests that rx, glossary and disease share.

export interface AreaLife {
  readonly area: string
  readonly editor: Role
  /** A record without an id, a changed body of the same record, and an invalid body. */
  readonly record: Readonly<Record<string, unknown>>
  readonly changed: Readonly<Record<string, unknown>>
  readonly bad: unknown
  /** A query with the area's own filters, and a filter that it rejects. */
  readonly filters: string
  readonly badFilter: string
  /** Bodies other than those that all areas share. */
  readonly bodyOf?: (operation: string) => unknown
  readonly queryOf?: (operation: string) => string | undefined
}

export function tableOf({ area, editor, record, bodyOf, queryOf }: AreaLife): AreaTable {
  return {
    area,
    names: { version: 'development', id: 'made' },
    unknown: { version: 'nowhere', id: 'nowhere', year: '2010', code: 'C007' },
    bodyOf: (operation) =>
      bodyOf?.(operation) ??
      (operation.endsWith('/publish') ? { ids: ['made'] } : { id: 'made', ...record }),
    queryOf: (operation) =>
      operation.endsWith('/versions/delete') ? 'name=nowhere' : queryOf?.(operation),
    rolesFor: () => [editor],
    reads: /\/(match|reportability)$/,
    repeatable: ['status', 'category', 'type', 'do_not_code', 'drugs', 'site_category'],
  }
}

const LATEST = { version: 'latest' } as const

export function lifeOf({ area, record, changed, bad, filters, badFilter }: AreaLife): Step[] {
  const place = `/rest/${area}`
  const version = `${place}/{version}`
  const made = { id: 'made', ...record }
  const held = (revision: string) => ({ headers: { 'If-Match': revision } })
  const search = `GET ${version}`
  return [
    [`GET ${place}/versions`, 200],
    [`POST ${version}/create`, 201, {}, made],
    [`POST ${version}/create`, 400, {}, made],
    [`POST ${version}/create`, 400, {}, bad],
    [`POST ${version}/create`, 400, LATEST, made],
    [`POST ${version}/create`, 201, {}, { ...record, name: 'Made without an id' }],
    [`POST ${version}/create`, 201, {}, { id: 'spare', ...record, name: 'Spare' }],
    [`PUT ${version}/update`, 201, {}, { id: 'made', ...changed, note: 'made anew' }],
    [`PUT ${version}/update`, 400, {}, changed],
    [`PUT ${version}/update`, 400, {}, { id: 'nowhere', ...changed }],
    [`PUT ${version}/update`, 400, LATEST, made],
    [`PUT ${version}/update`, 412, {}, made, held('"0"')],
    [`GET ${version}/id/{id}`, 404, LATEST],
    [`PUT ${version}/reset/{id}`, 400],
    [`POST ${version}/hide/{id}`, 400, { query: 'description=none' }],
    [`POST ${version}/unhide/{id}`, 400],
    [`POST ${version}/publish`, 400, {}, {}],
    [`POST ${version}/publish`, 400, {}, { ids: [] }],
    [`POST ${version}/publish`, 400, {}, { ids: ['made', 'nowhere'] }],
    [`POST ${version}/publish`, 400, LATEST, { ids: ['made'] }],
    [`POST ${version}/publish`, 204, {}, { ids: ['made'], status: 'READY', description: 'first' }],
    [`POST ${version}/publish`, 204, {}, { ids: ['made'], version_to: 'production' }],
    [`POST ${version}/publish`, 400, {}, { ids: ['made'], version_to: 'beta-1' }],
    [`GET ${version}/id/{id}`, 200],
    [`GET ${version}/id/{id}`, 200, { ...LATEST, query: 'glossary=true' }],
    [`GET ${version}/id/{id}`, 200, LATEST],
    [`GET ${version}/id/{id}`, 400, { query: 'glossary=perhaps' }],
    [`PUT ${version}/update`, 201, {}, made],
    [`PUT ${version}/reset/{id}`, 412, {}, undefined, held('"0", "x"')],
    [`PUT ${version}/reset/{id}`, 204, {}, undefined, held('*')],
    [`POST ${version}/hide/{id}`, 412, {}, undefined, held('W/"1"')],
    [`POST ${version}/hide/{id}`, 204, { query: 'description=away' }],
    [`POST ${version}/hide/{id}`, 204],
    [`POST ${version}/unhide/{id}`, 412, {}, undefined, held('"0"')],
    [`POST ${version}/unhide/{id}`, 204],
    [search, 200, LATEST],
    [search, 200, { query: `q=made&${filters}&order=-name&output_type=FULL&glossary=true` }],
    // The interface has a single list of sort orders for all areas.
    ...['type', 'site_category', '-icdO3_morphology', 'assigned_to'].map(
      (order) => [search, 200, { query: `order=${order}` }] as const,
    ),
    [search, 200, { query: 'status=DRAFT,READY&status=REVIEW&hidden=false&been_published=true' }],
    [search, 200, { query: 'status=TEST' }],
    [search, 200, { query: 'modified_from=2026-03-01&modified_to=2026-03-01&mode=AND' }],
    ...['count=0', 'count=1001', 'count=x', 'offset=-1', 'order=size', 'mode=NOT', badFilter].map(
      (query): Step => [search, 400, { query }],
    ),
    ...['output_type=ALL', 'modified_from=2026-02-30', 'published_to=1.3.2026', 'hidden=1'].map(
      (query): Step => [search, 400, { query }],
    ),
    [`GET ${version}/changelog`, 200],
    [`GET ${version}/changelog`, 200, { ...LATEST, query: 'from=2026-01-01&count=1&order=ASC' }],
    ...['count=11', 'count=0', 'from=yesterday', 'order=up'].map(
      (query): Step => [`GET ${version}/changelog`, 400, { query }],
    ),
    [`GET ${version}/keywords`, 200, { query: 'q=ma&count=3' }],
    [`GET ${version}/keywords`, 400, { query: 'count=none' }],
    [`GET ${version}/status_summary`, 200],
    [`POST ${place}/versions/create`, 201, { query: 'name=beta-1' }],
    [`POST ${place}/versions/create`, 400, { query: 'name=beta-1' }],
    [`POST ${place}/versions/create`, 400, { query: 'name=match' }],
    [`POST ${place}/versions/create`, 400],
    [`GET ${version}/id/{id}`, 200, { version: 'beta-1' }],
    [`PUT ${version}/update`, 400, { version: 'beta-1' }, made],
  ]
}

export function lastOf({ area }: AreaLife): Step[] {
  const place = `/rest/${area}`
  const version = `${place}/{version}`
  const held = { headers: { 'If-Match': '"0"' } }
  return [
    [`DELETE ${version}/delete/{id}`, 400, { id: 'nowhere' }],
    [`DELETE ${version}/delete/{id}`, 400, LATEST],
    [`DELETE ${version}/delete/{id}`, 412, {}, undefined, held],
    [`DELETE ${version}/delete/{id}`, 204, { query: 'description=gone' }],
    [`GET ${version}/id/{id}`, 404, LATEST],
    [`DELETE ${place}/versions/delete`, 400, { query: 'name=latest' }],
    [`DELETE ${place}/versions/delete`, 400],
    [`DELETE ${place}/versions/delete`, 204, { query: 'name=beta-1' }],
    [`GET ${version}/id/{id}`, 404, { version: 'beta-1' }],
  ]
}

/** Tests what a reader sees of the record, and that two editors do not overwrite each other. */
export function testRevisions(area: DescribedArea, { area: name, editor, record }: AreaLife): void {
  const place = `/rest/${name}`
  const get = `GET ${place}/development/id/held`

  test('of two editors of one revision the second is refused, and unknowingly changes nothing', async () => {
    const body = { id: 'held', ...record }
    const created = await area.world.ask(`POST ${place}/development/create`, { who: editor, body })
    const etag = created.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"\d+"$/)
    const edits = [
      { ...body, name: 'Of one' },
      { ...body, name: 'Of the other' },
    ]
    const statuses: number[] = []
    for (const edit of edits) {
      const headers = { 'If-Match': etag }
      const answer = await area.world.ask(`PUT ${place}/development/update`, {
        body: edit,
        headers,
      })
      statuses.push(answer.status)
      await answer.text()
    }
    expect(statuses).toEqual([201, 412])
    const now = await area.world.ask(get)
    expect(await now.json()).toMatchObject({ name: 'Of one' })
    expect(now.headers.get('etag')).not.toBe(etag)
  })

  test('edits without a body answer the revision that they made', async () => {
    await area.world.ask(`POST ${place}/development/publish`, { body: { ids: ['held'] } })
    for (const edit of ['POST /hide/held', 'POST /unhide/held', 'PUT /reset/held']) {
      const answer = await area.world.ask(edit.replace(' ', ` ${place}/development`))
      expect({ edit, status: answer.status }).toEqual({ edit, status: 204 })
      const etag = (await area.world.ask(get)).headers.get('etag')
      expect({ edit, etag: answer.headers.get('etag') }).toEqual({ edit, etag })
    }
  })

  test('readers see one version, and nothing that editors note', async () => {
    const versions = await area.world.ask(`GET ${place}/versions`, { who: 'reader' })
    expect(await versions.json()).toMatchObject([{ version: 'latest' }])
    const record = await area.world.ask(`GET ${place}/latest/id/held`, { who: 'reader' })
    const names = Object.keys((await record.json()) as object)
    const notes = ['hidden', 'status', 'assigned_to', 'note', 'field_notes', 'score', 'history']
    expect(names.filter((one) => notes.includes(one))).toEqual([])
    const other = await area.world.ask(`GET ${place}/development/id/held`, { who: 'reader' })
    expect(other.status).toBe(404)
  })
}
