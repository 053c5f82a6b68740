import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import type { ByteStream } from '../engine/shared/index.ts'
import type { Terminal } from './terminal.ts'

/** Writes a stream to standard output or to a file, which gets its name at the end. Disposes of the stream. */
export async function deliver(
  given: ByteStream,
  output: string | undefined,
  terminal: Terminal,
): Promise<void> {
  try {
    if (output === undefined) {
      for await (const chunk of given.body) await terminal.write(chunk)
      return
    }
    if (existsSync(output) && !(await isRegular(output))) return await writeTo(output, given)
    // The partial file has another name, so that it is never taken for a complete file.
    const part = `${output}.part`
    try {
      await writeTo(part, given)
      await rename(part, output)
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  } finally {
    await given[Symbol.asyncDispose]()
  }
}

/** Returns whether a path is a regular file. Pipes and devices cannot be replaced by a rename. */
export async function isRegular(path: string): Promise<boolean> {
  const file = await open(path, 'r+')
  try {
    return (await file.stat()).isFile()
  } finally {
    await file.close()
  }
}

async function writeTo(path: string, { body }: ByteStream): Promise<void> {
  const file = await open(path, 'w')
  try {
    for await (const chunk of body) await file.writeFile(chunk)
  } finally {
    await file.close()
  }
}
