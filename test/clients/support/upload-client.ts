import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface FileUpload {
  readonly server: string
  /** Holds the files, under their own names. */
  readonly folder: string
  readonly token: string
  /** Path of a manifest, or else one file by its id. */
  readonly manifest?: string
  readonly id?: string
  readonly projectId?: string
  /** Of an upload in parts that is to be gone on with, or given up. */
  readonly uploadId?: string
  readonly request?: 'abort' | 'delete'
  /** Sends whatever size in one body. */
  readonly isSimple?: true
}

/** Something that uploads as gdc-client does. */
export interface UploadClient {
  readonly name: string
  /** All that the client says. */
  upload(what: FileUpload): Promise<string>
}

/** The least that the client allows. */
export const PART_BYTES = 5_242_880

/** The client itself, where it is installed. */
export function installedUploader(program: string): UploadClient {
  return {
    name: 'gdc-client',
    async upload({ server, folder, token, manifest, id, projectId, uploadId, request, isSimple }) {
      const place = await mkdtemp(join(tmpdir(), 'casemill-uploader-'))
      try {
        const secret = join(place, 'token')
        await writeFile(secret, `${token}\n`, { mode: 0o600 })
        const words = [
          ...['upload', '-s', server, '-t', secret, '-c', String(PART_BYTES), '-n', '3'],
          ...['-f', folder, '--color_off'],
          ...(manifest === undefined ? [] : ['-m', manifest]),
          ...(projectId === undefined ? [] : ['-p', projectId]),
          ...(uploadId === undefined ? [] : ['-u', uploadId]),
          ...(request === undefined ? [] : [`--${request}`]),
          ...(isSimple ? ['--disable-multipart'] : []),
          ...(id === undefined ? [] : [id]),
        ]
        return await new Promise((resolve) => {
          // What it leaves behind for the next time goes with the folder.
          execFile(program, words, { cwd: place }, (_, out, err) =>
            // Bodies of answers are told as Python writes bytes.
            resolve(`${out}\n${err}`.replaceAll("\\'", "'")),
          )
        })
      } finally {
        await rm(place, { recursive: true })
      }
    },
  }
}
