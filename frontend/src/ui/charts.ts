import { BarChart, CustomChart, LineChart } from "echarts/charts";
import { GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import { init, use, type ECharts, type EChartsCoreOption } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

use([BarChart, CustomChart, LineChart, GridComponent, LegendComponent, TooltipComponent, SVGRenderer]);

/** A drawn plot. */
export type Chart = ECharts;
/** What a plot shows. */
export type ChartOption = EChartsCoreOption;

/** Opens a plot in an element. */
export function openChart(element: HTMLElement): Chart {
  return init(element, null, { renderer: "svg" });
}
