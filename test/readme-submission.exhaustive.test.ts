import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { available } from './available.ts'
import { ServedFolder } from './clients/support/served-folder.ts'

// The commands of the README's section on submission, as they stand there, one after the other.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const SECTION = /\n## Submit\n(.*?)\n## /s.exec(README)?.[1] ?? ''
const [register = '', tables = '', files = '', release = '', correct = '', ...others] = [
  ...SECTION.matchAll(/```sh\n(.*?)```/gs),
].map(([, block = '']) => block)

let folder = ''
let served: ServedFolder
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-submit-'))
  served = new ServedFolder(join(folder, 'my-data'))
})
afterAll(async () => {
  await served.kill()
  rmSync(folder, { recursive: true })
})

/** Runs lines in one shell, each of which must do well; what they print, by the line. */
async function paste(block: string, before = ''): Promise<string[]> {
  const lines = block.trim().split('\n')
  const script = [
    'set -euo pipefail',
    // As `npm run -s casemill --` and `npm start --` do.
    `casemill() { "${process.execPath}" "${join(ROOT, 'bin', 'casemill.ts')}" "$@"; }`,
    before,
    ...lines.map((line) => `${line}\nprintf '\\n@@\\n'`),
  ].join('\n')
  const asHere = script
    .replaceAll('npm run -s casemill --', 'casemill')
    .replaceAll('http://127.0.0.1:8080', served.address)
  writeFileSync(join(folder, 'script.sh'), asHere)
  const { stdout } = await promisify(execFile)('bash', ['script.sh'], {
    cwd: folder,
    env: { ...process.env, CASEMILL_DATA: undefined },
  })
  return stdout.split('\n@@\n').slice(0, lines.length)
}

test.skipIf(!available.curl || !available.jq)(
  'what the README says of submission does what it says',
  async () => {
    expect(others).toEqual([])
    const [start, ...commands] = register.trim().split('\n').toReversed()
    expect(start).toBe('npm start -- --data my-data')
    const said = await paste(commands.toReversed().join('\n'))
    expect(said[0]?.trim()).toBe('TRIAL-ONE registered')
    const token = said[1]?.trim()
    await served.start()

    const [given, ...rest] = tables.trim().split('\n')
    expect(given).toBe('TOKEN=the-printed-token')
    const known = [`TOKEN=${token}`, rest[0] ?? ''].join('\n')
    const [, , , committed = ''] = await paste(rest.join('\n'), `TOKEN=${token}`)
    expect(JSON.parse(committed)).toMatchObject({ code: 200, created_entity_count: 2 })

    const uploaded = await paste(files.replace(/^(FILE=.*)$/m, '$1; echo $FILE'), known)
    const id = uploaded[2]?.trim() ?? ''
    expect(uploaded[4]?.trim()).toMatch(/^(uploaded|validating|validated)$/)
    expect(readFileSync(join(folder, 'manifest.yaml'), 'utf8')).toContain(id)
    const state = async () => {
      const path = `${served.address}/submission/TRIAL/ONE/entities/${id}`
      const answer = await fetch(path, { headers: { 'X-Auth-Token': token ?? '' } })
      const { entities } = (await answer.json()) as { entities: { properties: object }[] }
      return entities[0]?.properties
    }
    await expect.poll(state).toMatchObject({ file_state: 'validated' })

    const [search = '', ...handing] = release.trim().split('\n').toReversed()
    const handed = await paste(handing.toReversed().join('\n'), known)
    const [review = '', submit = '', released = ''] = handed
    expect(JSON.parse(review)).toMatchObject({ success: true })
    expect(JSON.parse(submit)).toMatchObject({ success: true, submitted_entity_count: 3 })
    expect(JSON.parse(released)).toMatchObject({ success: true })
    const status = async () => (await fetch(`${served.address}/status`)).json()
    // A server looks for another release every second.
    await expect.poll(status).toMatchObject({ data_release_version: { major: 1 } })
    const [found = ''] = await paste(search)
    const { data } = JSON.parse(found) as { data: { hits: { cases: object[] }[] } }
    expect(data.hits).toMatchObject([{ file_name: 'doses.tsv' }])
    // By their ids, which are random.
    const subjects = data.hits[0]?.cases
    expect(subjects).toHaveLength(2)
    for (const submitter_id of ['ann', 'bob']) expect(subjects).toContainEqual({ submitter_id })

    const [history = '', ...correcting] = correct.trim().split('\n').toReversed()
    const [, corrected = '', marked = '', redacted = '', remade = ''] = await paste(
      correcting.toReversed().join('\n'),
      `${known}\nFILE=${id}`,
    )
    expect(JSON.parse(corrected)).toMatchObject({ success: true, updated_entity_count: 1 })
    expect(JSON.parse(marked)).toMatchObject({ success: true })
    expect(redacted).toContain('Successfully redacted 1 entities')
    expect(remade).toContain('without 1 redacted entities')
    await expect.poll(status).toMatchObject({ data_release_version: { major: 2 } })
    const [told = ''] = await paste(history, `FILE=${id}`)
    expect(JSON.parse(told)).toMatchObject([{ uuid: id, version: '1', file_change: 'redacted' }])
    const cases = await fetch(`${served.address}/cases?fields=submitter_id,primary_site`)
    const { data: now } = (await cases.json()) as { data: { hits: object[] } }
    expect(now.hits).toContainEqual(
      expect.objectContaining({ submitter_id: 'ann', primary_site: 'Base of tongue' }),
    )
  },
  120_000,
)
