import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transferFile } from './file-transfer.ts'
import { post, pythonJson, textOf } from './python-request.ts'
import { divide, type FileFacts, transferAnnotations, transferGroup } from './small-files.ts'
import { DEFAULTS, type Download, type Downloaded, type TransferClient } from './transfer-client.ts'

// The requests of gdc-client 2.x, in its order and with its headers and bodies, and what it needs from the
// answers (data-commons.md 8.1). It was written for this test from the client's behaviour.

const FIELDS = [
  ...['file_id', 'file_size', 'md5sum', 'annotations.annotation_id'],
  ...['metadata_files.file_id', 'index_files.file_id', 'access'],
].join()

/** The number of ids in one request for versions. */
const VERSIONS_AT_ONCE = 500

export const replayedClient: TransferClient = {
  name: 'its requests, replayed',
  download: (what) => new Replay(what).run(),
}

class Replay {
  readonly #what: Download & Required<Pick<Download, 'processes' | 'retries'>>
  readonly #said: string[] = []
  #facts: ReadonlyMap<string, FileFacts> = new Map()
  #succeeded = 0

  constructor(what: Download) {
    this.#what = { ...DEFAULTS, ...what }
  }

  async run(): Promise<Downloaded> {
    const latest = await this.#versions(await this.#askedIds())
    const ids = [...(this.#what.latest ? latest.values() : latest.keys())]
    this.#facts = await this.#metadata(ids)
    const { big, groups } = divide(ids, this.#facts)
    await this.#small(groups)
    await this.#big(big)
    const failed = ids.length - this.#succeeded
    return { succeeded: this.#succeeded, failed, said: this.#said.join('\n') }
  }

  async #askedIds(): Promise<readonly string[]> {
    const { ids = [], manifest } = this.#what
    if (manifest === undefined) return [...new Set(ids)]
    const [header = '', ...rows] = (await readFile(manifest, 'utf8')).split('\n')
    const column = header.split('\t').indexOf('id')
    const listed = rows.filter((row) => row !== '').map((row) => row.split('\t')[column] ?? '')
    return [...new Set([...ids, ...listed])]
  }

  /** Returns the latest version of each id; ids without an answer are not downloaded. */
  async #versions(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const latest = new Map<string, string>()
    for (let at = 0; at < ids.length; at += VERSIONS_AT_ONCE) {
      const asked = ids.slice(at, at + VERSIONS_AT_ONCE)
      const answer = await post(`${this.#what.server}/files/versions`, { ids: asked })
      const text = await textOf(answer)
      if (answer.status >= 400) throw new Error(`${answer.status}: ${text}`)
      const found: readonly { readonly id: string; readonly latest_id?: string }[] =
        JSON.parse(text)
      for (const { id, latest_id } of found) {
        latest.set(id, latest_id ?? id)
        if (latest_id !== undefined && latest_id !== id) {
          this.#say(`The file "${id}" was superseded by "${latest_id}"`)
        }
      }
    }
    return latest
  }

  /** Requests metadata; all values are strings, including the filter. */
  async #metadata(ids: readonly string[]): Promise<ReadonlyMap<string, FileFacts>> {
    const wanted = { op: 'in', content: { field: 'files.file_id', value: ids } }
    const filters = pythonJson({ op: 'and', content: [wanted] })
    const query = { fields: FIELDS, filters, from: '0', size: String(ids.length) }
    const facts = new Map<string, FileFacts>()
    for (const path of ['/v0/files', '/v0/legacy/files']) {
      const answer = await post(new URL(path, this.#what.server).href, query)
      const text = await textOf(answer)
      if (answer.status !== 200) continue
      for (const hit of hitsIn(text)) if (!facts.has(hit.id)) facts.set(hit.id, hit)
    }
    return facts
  }

  async #small(groups: readonly (readonly string[])[]): Promise<void> {
    const { server, folder, token, retries } = this.#what
    const place = { server, folder, token, facts: this.#facts }
    const wrong: string[] = []
    for (const group of groups) {
      try {
        wrong.push(...(await transferGroup(group, place)))
        this.#succeeded += group.length
      } catch (error) {
        this.#say(String(error))
      }
    }
    // Files with a wrong checksum are requested again, each as a string instead of a list.
    for (let round = 0; round < retries && wrong.length > 0; round++) {
      for (const id of wrong.splice(0)) wrong.push(...(await transferGroup(id, place)))
    }
    this.#succeeded -= wrong.length
  }

  async #big(ids: readonly string[]): Promise<void> {
    const { retries } = this.#what
    for (const id of ids) {
      for (let left = retries; ; left--) {
        try {
          await this.#file(id)
          this.#succeeded++
          break
        } catch (error) {
          this.#say(`${id}: ${String(error)}`)
          if (left === 0 || String(error).includes('403')) break
        }
      }
    }
  }

  async #file(id: string): Promise<void> {
    const { server, folder: parent, token, processes } = this.#what
    const folder = join(parent, id)
    await mkdir(folder, { recursive: true })
    const transfer = { folder, token, processes }
    const urlOf = (fileId: string) => new URL(`data/${fileId}`, server).href
    const file = await transferFile({ ...transfer, url: urlOf(id) })
    const { related = [], annotations = [] } = this.#facts.get(id) ?? {}
    try {
      for (const other of related) {
        await (await transferFile({ ...transfer, url: urlOf(other) })).finish()
      }
    } catch (error) {
      this.#say(`Unable to download related files for ${id}: ${String(error)}`)
    }
    try {
      if (annotations.length > 0) await transferAnnotations(server, annotations, folder)
    } catch (error) {
      this.#say(`Unable to download annotations for ${id}: ${String(error)}`)
    }
    await file.finish()
  }

  #say(line: string): void {
    this.#said.push(line)
  }
}

interface Hit extends Omit<FileFacts, 'related' | 'annotations'> {
  readonly index_files?: readonly { readonly file_id: string }[]
  readonly metadata_files?: readonly { readonly file_id: string }[]
  readonly annotations?: readonly { readonly annotation_id: string }[]
}

/** @throws Error if a hit lacks a member that the client reads unchecked */
function hitsIn(text: string): readonly FileFacts[] {
  const { data } = JSON.parse(text) as { readonly data?: { readonly hits?: readonly Hit[] } }
  return (data?.hits ?? []).map((hit) => {
    for (const name of ['id', 'access', 'file_size', 'md5sum'] as const) {
      if (hit[name] === undefined) throw new Error(`a file has no ${name}`)
    }
    const related = [...(hit.index_files ?? []), ...(hit.metadata_files ?? [])]
    return {
      ...hit,
      related: related.map(({ file_id }) => file_id),
      annotations: (hit.annotations ?? []).map(({ annotation_id }) => annotation_id),
    }
  })
}
