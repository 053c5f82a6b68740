import { CART, cartOf, onPage } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { Link } from '../../parts/link.tsx'
import { ErrorNote } from '../../parts/notes.tsx'
import { saveFile } from '../../parts/save.ts'
import { useTask } from '../../parts/use-task.ts'
import { useService } from '../../service/context.ts'
import type { OneFile } from './one-file.ts'

/** Maximum size in bytes of a controlled file that the page loads into memory, as links cannot have a token. */
const MAX_IN_MEMORY = 500_000_000

/** Offers the download of a file, its reads, and a place in the cart. */
export function FileActions({ file }: { readonly file: OneFile }) {
  const { address, change } = usePlace()
  const { id } = file
  const isOpen = file.access === 'open'
  const isChosen = cartOf(address.query).includes(id)
  const toggle = () =>
    change(
      (now) => {
        const chosen = cartOf(now)
        const next = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]
        return { [CART]: next.join(',') }
      },
      { replaces: true },
    )
  const token = isOpen ? '' : ' -H "X-Auth-Token: $(cat token.txt)"'
  return (
    <>
      <p class="links">
        {isOpen ? (
          <a href={`/data/${id}`} download>
            Download
          </a>
        ) : (
          <ControlledDownload file={file} />
        )}
        <button type="button" aria-pressed={isChosen} onClick={toggle}>
          {isChosen ? 'In the cart' : 'Put into the cart'}
        </button>
        {file.data_format === 'BAM' && (
          <Link to={onPage(address, 'reads', { file: id })}>Reads</Link>
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre tabIndex={0}>
        <code>{`curl -f -OJ${token} ${location.origin}/data/${id}`}</code>
      </pre>
    </>
  )
}

function ControlledDownload({ file }: { readonly file: OneFile }) {
  const service = useService()
  const { isBusy, error, run } = useTask()
  if (service.credentials.token === '') {
    return <span class="soft">Controlled: sign in with a token, or use the command below.</span>
  }
  if ((file.file_size ?? 0) > MAX_IN_MEMORY) {
    return <span class="soft">Large and controlled: use the command below.</span>
  }
  const download = () =>
    run(async () => {
      const answer = await service.fetch({ path: `/data/${file.id}` })
      saveFile(file.file_name, await answer.blob())
    })
  return (
    <>
      <button type="button" disabled={isBusy} onClick={download}>
        {isBusy ? 'Downloading …' : 'Download with your token'}
      </button>
      {error !== '' && <ErrorNote text={error} />}
    </>
  )
}
