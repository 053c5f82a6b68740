import type { Track } from './tracks.ts'

/** Shows the colours of tracks, as entries of a list with class `legend`. */
export function TrackLegend({ tracks }: { readonly tracks: readonly Track[] }) {
  return (
    <>
      {tracks.map(({ field, title, legend }) => (
        <div key={field}>
          <dt>{title}</dt>
          <dd>
            {legend.map(({ name, color }) => (
              <span key={name}>
                <span class="key" style={{ background: color }} />
                {name}
              </span>
            ))}
          </dd>
        </div>
      ))}
    </>
  )
}
