import { expect, onTestFinished, test } from 'vitest'
import { runProgram } from '../../../bin/support/program.ts'
import { AS_ADMIN } from '../support/service.ts'
import { caseDocument, sampleDocument } from './support/documents.ts'
import { STUDY, submitStudy } from './support/small-study.ts'
import { ReleasingWorld } from './support/world.ts'

interface CaseRecord {
  readonly data: {
    readonly consent_type?: string
    readonly primary_site: string
    readonly samples?: readonly { readonly sample_id: string }[]
    readonly sample_ids?: readonly string[]
  }
}

test('released entities are corrected in the next release, and removed once redacted', async () => {
  const world = await ReleasingWorld.open()
  onTestFinished(() => world.close())
  await world.register(STUDY)
  const ids = await submitStudy(world, Buffer.from('no alignment'))
  const id = (name: string) => ids.get(name) ?? ''
  const extra = await world.submit(STUDY, [
    { ...caseDocument('C3', 'ONE'), consent_type: 'Consent Waiver' },
    sampleDocument('C3_one', 'C3'),
    sampleDocument('C3_two', 'C3'),
  ])
  const third = extra.get('C3') ?? ''
  await world.handOver(STUDY)
  const release = () => world.engine.submission.releasing.release()
  const act = (action: 'release') =>
    world.engine.submission.transactions.act({
      ...AS_ADMIN,
      program: 'PRO',
      project: 'ONE',
      path: '/',
      action,
    })
  await release()
  const record = () => world.get<CaseRecord>(`/cases/${third}?expand=samples`)
  expect((await record()).data).toMatchObject({
    consent_type: 'Consent Waiver',
    primary_site: 'Kidney',
  })

  // One property is changed and another removed; the next release shows both.
  await world.submit(STUDY, [{ ...caseDocument('C3', 'ONE'), primary_site: 'Brain' }], 'put')
  const { body } = await world.engine.submission.transactions.delete({
    ...AS_ADMIN,
    program: 'PRO',
    project: 'ONE',
    path: '/',
    ids: [third],
    fields: ['consent_type'],
  })
  expect(body).toMatchObject({ success: true, entities: [{ action: 'update' }] })
  await act('release')
  expect(await release()).toMatchObject({ dataRelease: 'Data Release 2.0', problems: [] })
  const { data: now } = await record()
  expect(now.primary_site).toBe('Brain')
  expect(now).not.toHaveProperty('consent_type')
  expect(now.samples).toHaveLength(2)
  expect([...(await world.states(STUDY)).values()]).not.toContain('submitted')

  const redact = (...words: string[]) =>
    runProgram(['project', 'redact', 'PRO/ONE', ...words, '--data', world.folder])
  const reason = ['--reason', 'consent was withdrawn']
  const one = extra.get('C3_one') ?? ''
  expect(await redact(one, ...reason)).toMatchObject({
    status: 0,
    out: 'Successfully redacted 1 entities; casemill release makes the next release without them\n',
  })
  const refused = await redact(id('C2'), ...reason)
  expect(refused).toMatchObject({ status: 1, out: '' })
  expect(refused.err).toContain('Unable to redact entity because at least')
  expect(await redact(id('C2'), ...reason, '--with-children')).toMatchObject({ status: 0 })
  // Until the next release, nothing changes.
  expect(await world.status(`/cases/${id('C2')}`)).toBe(200)

  // No project must be marked for this.
  const report = await release()
  expect(report).toMatchObject({ dataRelease: 'Data Release 3.0', problems: [], projects: [] })
  expect((await record()).data.samples).toMatchObject([{ sample_id: extra.get('C3_two') }])
  expect((await record()).data.sample_ids).toEqual([extra.get('C3_two')])
  expect(await world.status(`/cases/${id('C2')}`)).toBe(404)
  const table = id('C2_table')
  expect(await world.status(`/files/${table}`)).toBe(404)
  expect(await world.status(`/data/${table}`)).toBe(404)
  expect(await world.get(`/history/${table}`)).toEqual([
    expect.objectContaining({
      uuid: table,
      version: '1',
      file_change: 'redacted',
      data_release: '1.0',
    }),
  ])
  expect(await world.get(`/files/versions/${table}`)).toMatchObject([
    { id: table, state: 'redacted', latest_id: null },
  ])
  const values = await world.ask('/gene_expression/values', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      case_ids: [id('C1'), id('C2')],
      gene_ids: ['ENSG00000141510'],
      tsv_units: 'uqfpkm',
      format: 'tsv',
    }),
  })
  expect(await values.text()).not.toContain(id('C2'))
  const cases = await world.hits<{ readonly id: string }>('/cases?fields=case_id&size=10')
  expect(cases.map((each) => each.id).sort()).toEqual([id('C1'), third].sort())

  // The entity does not return.
  expect(await release()).toMatchObject({ projects: [] })
  expect(await world.engine.commons.releases.names()).toHaveLength(3)
  await act('release')
  expect(await release()).toMatchObject({ dataRelease: 'Data Release 4.0', problems: [] })
  expect(await world.status(`/cases/${id('C2')}`)).toBe(404)
  expect(await world.get(`/history/${table}`)).toMatchObject([{ file_change: 'redacted' }])
})
