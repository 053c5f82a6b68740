import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runProgram } from '../support/program.ts'

let folder: string
let cases: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-recode-'))
  cases = join(folder, 'cases.ndjson')
  writeFileSync(cases, `${CASE.repeat(600)}{"site":"C182"}\n${CASE}`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CASE = '{"site":"C182","hist":"8000","behavior":"3","year":"2023"}\n'
const run = (...words: readonly string[]) => runProgram(words, {})
const groups = (lines: string) =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).site_group ?? JSON.parse(line).line)

// registry-lookups.md 1.4: C182/8000 is 21043 by the edition of 2008, and 20 by that of 2023.
test.each([
  [[], '21043'],
  [['--version', '2023'], '20'],
])('recode answers a line for each line: %j', async (options, group) => {
  const answers = join(folder, 'answers.ndjson')
  const { status, out, err } = await run('recode', 'seer', cases, ...options, '-o', answers)
  const worry = `casemill: ${cases}: 1 line has an error as result\n`
  expect({ status, out, err }).toEqual({ status: 1, out: '', err: worry })
  const written = readFileSync(answers, 'utf8')
  expect(groups(written)).toEqual([...Array.from({ length: 600 }, () => group), 601, group])
  expect(written.split('\n')[600]).toContain("Required parameter 'hist' is not present.")
})

test('recode answers patients with their tumors', async () => {
  const patients = join(folder, 'patients.ndjson')
  // registry-lookups.md 4.3: C18 and C19 are no group, C19 and C20 are one; in situ is none.
  const sites = ['C189', 'C199', 'C209'].map((site) => ({ site, hist: '8140', behavior: '3' }))
  const tumors = [...sites, { site: 'C509', hist: '8500', behavior: '2' }]
  writeFileSync(patients, `${JSON.stringify({ tumors })}\n`.repeat(300))
  const { status, out } = await run('recode', 'iarc', patients)
  const told = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).tumors)
  const primaries = told.map((all) => all.map((one: { primary: string }) => one.primary).join(''))
  expect({ status, primaries }).toEqual({ status: 0, primaries: Array(300).fill('1109') })
})

test('a recode or a version that does not exist is refused with those that do', async () => {
  const refused = await run('recode', 'sear', cases)
  expect(refused.status).not.toBe(0)
  expect(refused.err).toContain('seer, iccc, aya')
  const version = await run('recode', 'seer', cases, '--version', '1812')
  expect(version.status).toBe(1)
  expect(version.err).toContain('there is no such version; give one of 2008, 2003')
})
