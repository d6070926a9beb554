import { songCover } from '@prelude/contracts'

const SIDE = { width: 200, height: 200 }

/** The drawn cover of a song, a square. */
export const Cover = ({ songId, className }: { songId: string; className: string | undefined }) => (
  <img
    className={className}
    src={`data:image/svg+xml,${encodeURIComponent(songCover(songId, SIDE))}`}
    alt=""
    width={200}
    height={200}
  />
)
