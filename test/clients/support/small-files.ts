import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bytesOf, type OpenAnswer, post, textOf } from './python-request.ts'
import { md5Of } from './stored-state.ts'

const run = promisify(execFile)

/** The facts about a file in a search result. */
export interface FileFacts {
  readonly id: string
  readonly access: string
  readonly file_size: number
  readonly md5sum: string
  readonly related: readonly string[]
  readonly annotations: readonly string[]
}

/** The size up to which a file or group goes into an archive. */
const GROUP_BYTES = 1 << 20

/**
 * Decides which files are fetched alone and which in archives. A group is closed when it has passed the limit,
 * so its last file exceeds it; open and controlled files are never together.
 */
export function divide(
  ids: readonly string[],
  facts: ReadonlyMap<string, FileFacts>,
): { readonly big: readonly string[]; readonly groups: readonly (readonly string[])[] } {
  const big: string[] = []
  const open = new Groups()
  const controlled = new Groups()
  for (const id of ids) {
    const file = facts.get(id)
    if (!file || file.related.length + file.annotations.length > 0) big.push(id)
    else if (file.file_size > GROUP_BYTES) big.push(id)
    else (file.access === 'open' ? open : controlled).add(file)
  }
  return { big, groups: [...open.all, ...controlled.all] }
}

class Groups {
  readonly all: string[][] = []
  #bytes = Number.POSITIVE_INFINITY

  add({ id, file_size }: FileFacts): void {
    if (this.#bytes > GROUP_BYTES) {
      this.all.push([])
      this.#bytes = 0
    }
    this.all.at(-1)?.push(id)
    this.#bytes += file_size
  }
}

/** Sends a request to the current interface and, if it does not answer 200 or 203, to the previous one. */
async function postToBoth(
  server: string,
  path: string,
  { ids, token }: { readonly ids: readonly string[] | string; readonly token?: string | undefined },
): Promise<OpenAnswer> {
  const answer = await post(new URL(path, server).href, { ids }, { token })
  if (answer.status === 200 || answer.status === 203) return answer
  await textOf(answer)
  return post(new URL(`legacy/${path}`, server).href, { ids }, { token })
}

interface GroupTransfer {
  readonly server: string
  readonly folder: string
  readonly token: string | undefined
  readonly facts: ReadonlyMap<string, FileFacts>
}

/**
 * Fetches a group as one archive and unpacks it. Every member except the list of files must be in a folder named
 * by the file's id, with the md5 from the search.
 * @returns ids whose md5 is wrong
 */
export async function transferGroup(
  ids: readonly string[] | string,
  { server, folder, token, facts }: GroupTransfer,
): Promise<readonly string[]> {
  const answer = await postToBoth(server, 'data?tarfile', { ids, token })
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await textOf(answer)}`)
  // The client takes the text between the first and the second equals sign.
  const name = answer.headers['content-disposition']?.split('=')[1] ?? ''
  if (!/^[\w.-]+\.tar$/.test(name)) throw new Error(`an archive cannot be named ${name}`)
  const archive = join(folder, name)
  await writeFile(archive, await bytesOf(answer))
  const listed = await run('tar', ['-tf', archive])
  const members = listed.stdout.split('\n').filter((member) => member !== '' && !isList(member))
  await run('tar', ['-xf', archive, '-C', folder, '--', ...members])
  await rm(archive)
  const wrong: string[] = []
  for (const member of members) {
    if (/superseded_files[\d._]+.txt/.test(member)) continue
    const id = member.split('/')[0] ?? ''
    const md5 = md5Of(await readFile(join(folder, member)))
    if (facts.get(id)?.md5sum !== md5) wrong.push(id)
  }
  return wrong
}

const isList = (member: string) => member === 'MANIFEST.txt'

/** Writes the annotations of a file next to it; they are requested without a token. */
export async function transferAnnotations(
  server: string,
  ids: readonly string[],
  folder: string,
): Promise<void> {
  const answer = await postToBoth(server, 'data?compress', { ids })
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await textOf(answer)}`)
  const archive = join(folder, '.annotations.tar.gz')
  await writeFile(archive, await bytesOf(answer))
  try {
    await run('tar', ['-xzf', archive, '-C', folder, 'annotations.txt'])
  } finally {
    await rm(archive)
  }
}
