import { COURSE_SECONDS, roundTop } from './heat.js';

const { uPlot } = /** @type {any} */ (globalThis);

const HEIGHT = 210;

/**
 * The course of a room over the last two minutes. Time is told in seconds ago, so that only the
 * lines move; the scale goes in round steps.
 */
export class Chart {
  #plot;
  #data = [[], [], [], [], []];

  /**
   * @param {HTMLElement} holder its colour is that of the axes, its border's that of the grid
   * @param {Record<'rate' | 'demand' | 'threshold' | 'hot', Element>} swatches say the colours
   * @param {{short: (n: number) => string, ago: (seconds: number) => string}} words
   * @param {(index: ?number) => void} onPointed which figures are pointed at
   */
  constructor(holder, swatches, words, onPointed) {
    const colour = (/** @type {Element} */ of) => () => getComputedStyle(of).color;
    const axis = {
      stroke: colour(holder),
      font: `12px ${getComputedStyle(holder).fontFamily}`,
      ticks: { show: false },
      grid: { stroke: () => getComputedStyle(holder).borderTopColor, width: 1 },
    };
    this.#plot = new uPlot(
      {
        width: holder.clientWidth || 320,
        height: HEIGHT,
        padding: [8, 14, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false } },
        scales: {
          x: { time: false, range: [-COURSE_SECONDS, 0] },
          y: { range: (_, __, /** @type {number} */ most) => [0, roundTop((most ?? 0) * 1.02)] },
        },
        axes: [
          {
            ...axis,
            size: 26,
            splits: () => [-120, -90, -60, -30, 0],
            values: (_, /** @type {number[]} */ at) => at.map((second) => words.ago(-second)),
          },
          {
            ...axis,
            size: 52,
            values: (_, /** @type {number[]} */ at) => at.map(words.short),
          },
        ],
        series: [
          {},
          line(colour(swatches.rate), { width: 2 }),
          line(colour(swatches.demand), { width: 1.5, dash: [2, 3] }),
          line(colour(swatches.threshold), { width: 1.5, dash: [9, 5] }),
        ],
        hooks: {
          drawClear: [() => this.#shadeHot(colour(swatches.hot)())],
          setCursor: [(/** @type {any} */ plot) => onPointed(plot.cursor.idx ?? null)],
        },
      },
      this.#data.slice(0, 4),
      holder,
    );
    new ResizeObserver(() => {
      if (holder.clientWidth > 0 && holder.clientWidth !== this.#plot.width) {
        this.#plot.setSize({ width: holder.clientWidth, height: HEIGHT });
      }
    }).observe(holder);
  }

  /** @param {Array<Array<?number>>} data as {@link Courses#of} gives it */
  show(data) {
    this.#data = data;
    this.#plot.setData(data.slice(0, 4));
  }

  /** Draws it again, in the colours and the language of now. */
  repaint() {
    this.#plot.redraw(false, true);
  }

  /**
   * Behind the lines, the time that the room was hot.
   *
   * @param {string} colour
   */
  #shadeHot(colour) {
    const { ctx, bbox } = this.#plot;
    const [ages, , , , hot] = this.#data;
    ctx.save();
    ctx.fillStyle = colour;
    for (let i = 0; i < ages.length; i++) {
      if (hot[i]) {
        const from = this.#plot.valToPos(ages[i - 1] ?? ages[i], 'x', true);
        const to = this.#plot.valToPos(ages[i], 'x', true);
        const left = Math.max(Math.round(from), bbox.left);
        ctx.fillRect(left, bbox.top, Math.max(Math.round(to) - left, 0), bbox.height);
      }
    }
    ctx.restore();
  }
}

/**
 * @param {() => string} stroke
 * @param {object} more
 */
const line = (stroke, more) => ({ stroke, points: { show: false }, ...more });
