import type { StoredFile } from '../../shared/catalogue/files.ts'
import { EngineError } from '../../shared/errors.ts'
import type { ByteStream } from '../../shared/streams/byte-stream.ts'
import type { FileAccess } from '../files/file-access.ts'
import type { FileLink, FileLinks } from '../files/links/file-links.ts'
import type { Slicing } from '../slicing/slicing.ts'
import { type BlocksRequest, type BlocksRun, blocksOf } from './blocks.ts'
import type { CutRun, Cutters, HtsgetRegion } from './cutters.ts'
import { formatOf, type HtsgetFormat, type HtsgetKind, requireFormat } from './formats.ts'
import type { TicketPart } from './ticket-parts.ts'

/** The request for a file that has been found. */
export interface HtsgetRequest {
  readonly format?: HtsgetFormat | undefined
  /** Whether to return the header only. */
  readonly isHeader?: boolean | undefined
  /** Regions to return. If undefined, the whole file. */
  readonly regions?: readonly HtsgetRegion[] | undefined
}

/** Sources of a response's bytes: parts in order, or the stored file as a whole. */
export interface HtsgetTicket {
  readonly format: HtsgetFormat
  readonly parts: readonly TicketPart[] | 'whole'
  /** MD5 of the whole file in hex. Undefined for parts. */
  readonly md5: string | undefined
  /** Link for fetching ranges or the whole file. Undefined if all bytes are in the parts. */
  readonly link: FileLink | undefined
}

/** A file of reads or variants that the user, or the holder of a ticket, may read. */
export interface HeldHts {
  readonly fileId: string
  /** Id of the release that lists the file. Undefined if none does. */
  readonly releaseId: string | undefined
  /**
   * Streams the blocks that a ticket leaves to be generated.
   * @throws EngineError not_found for an unknown reference, precondition_failed if the bytes are not those of
   * the ticket, unsupported_type, no_index, busy, corrupt_source, unavailable
   */
  blocks(request: BlocksRequest, run?: CutRun): Promise<ByteStream>
}

/** A file of reads or variants that the user may read. */
export interface ReadableHts extends HeldHts {
  readonly format: HtsgetFormat
  /**
   * Returns a ticket: the parts to fetch for a request.
   * @throws EngineError not_found for an unknown reference, unsupported_type for another format and for a
   * file that cannot be cut, too_large, busy, corrupt_source, unavailable
   */
  ticket(request: HtsgetRequest, run?: CutRun): Promise<HtsgetTicket>
}

interface HtsgetContext {
  readonly access: FileAccess
  readonly links: FileLinks
  readonly cutters: Cutters
  readonly slicing: Pick<Slicing, 'recordsOf'>
}

/** Tickets of htsget 1.3, which tell clients what to fetch for regions of stored files (ga4gh.md 3). */
export class Htsget {
  readonly #context: HtsgetContext

  constructor(context: HtsgetContext) {
    this.#context = context
  }

  /**
   * Finds a file by its id or by a unique file name, and checks read access.
   * @param token the secret as the client sent it; ignored for open files
   * @throws SupersededFile, EngineError not_found, unauthenticated, forbidden
   */
  async open(name: string, kind: HtsgetKind, token: string | undefined): Promise<ReadableHts> {
    const { access, links } = this.#context
    const { file, stored, releaseId } = await access.named(name, token)
    const format = formatOf(file, kind)
    return {
      fileId: file.id,
      format,
      releaseId,
      blocks: (request, run = {}) => this.#blocks({ file: stored, format }, request, run),
      ticket: async ({ format: asked, isHeader = false, regions }, run = {}) => {
        requireFormat(asked, format)
        if (!isHeader && !regions) {
          const link = await links.linkTo({ file, token }, { mayPresign: true })
          return { format, parts: 'whole', md5: stored.md5, link }
        }
        const cut = this.#context.cutters[format]
        if (!cut) throw onlyWhole(file.id, format)
        const { parts, identity } = await cut(stored, isHeader ? [] : (regions ?? []), run)
        const isMade = parts.some(({ kind }) => kind === 'blocks')
        const hasLink = isMade || parts.some(({ kind }) => kind === 'range')
        // Generated parts are served here even if the file is in object storage.
        const link = hasLink
          ? await links.linkTo({ file, token }, { identity, mayPresign: !isMade })
          : undefined
        return { format, parts, md5: undefined, link }
      },
    }
  }

  /**
   * Opens a file like `open`, but by a ticket, which replaces the token.
   * @throws SupersededFile, EngineError not_found, unauthenticated, forbidden
   */
  async held(id: string, kind: HtsgetKind, ticket: string): Promise<HeldHts> {
    const { file, stored, releaseId, terms } = await this.#context.access.held(id, ticket)
    const format = formatOf(file, kind)
    return {
      fileId: file.id,
      releaseId,
      blocks: (request, run = {}) => {
        return this.#blocks({ file: stored, format }, request, { ...run, terms })
      },
    }
  }

  async #blocks(
    what: { readonly file: StoredFile; readonly format: HtsgetFormat },
    request: BlocksRequest,
    run: BlocksRun,
  ): Promise<ByteStream> {
    return blocksOf(this.#context.slicing, what, request, run)
  }
}

function onlyWhole(id: string, format: HtsgetFormat): EngineError {
  const message = `file ${id} in the format ${format} is given whole alone; request it without regions and class`
  return new EngineError('unsupported_type', message)
}
