import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface FileUpload {
  readonly server: string
  /** The folder that holds the files, under their own names. */
  readonly folder: string
  readonly token: string
  /** The path of a manifest; otherwise one file is named by its id. */
  readonly manifest?: string
  readonly id?: string
  readonly projectId?: string
  /** The id of an upload in parts to be continued or aborted. */
  readonly uploadId?: string
  readonly request?: 'abort' | 'delete'
  /** Sends files of any size in one body. */
  readonly isSimple?: true
}

/** A client that uploads as gdc-client does. */
export interface UploadClient {
  readonly name: string
  /** Uploads files and returns the client's complete output. */
  upload(what: FileUpload): Promise<string>
}

/** The minimum size of a part that the client allows. */
export const PART_BYTES = 5_242_880

/** The real client, if it is installed. */
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
          // The state that it leaves for the next run is removed with the folder.
          execFile(program, words, { cwd: place }, (_, out, err) =>
            // The client prints bodies of answers as Python writes bytes.
            resolve(`${out}\n${err}`.replaceAll("\\'", "'")),
          )
        })
      } finally {
        await rm(place, { recursive: true })
      }
    },
  }
}
