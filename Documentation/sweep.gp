# SPDX-License-Identifier: GPL-2.0-only
# gnuplot: the plot of doorbells.rst from sweep.csv, which tools/bench/sweep writes:
#	gnuplot -e "out='build/sweep.svg'" Documentation/sweep.gp
set datafile separator ','
set terminal svg size 1000,1150 dynamic noenhanced background rgb 'white' font 'sans,12'
set output out
set multiplot layout 6, 3

csv = 'Documentation/sweep.csv'
cases = "tcp_rr tcp_g2h tcp_h2g"
# each case beside its neighbours, and zero at 4, where a logarithm has a place for it
place(v, n) = (v == 0 ? 4 : v) * (1 + 0.1 * (n - 2))
of(p, n, m) = strcol(1) eq p && strcol(3) eq word(cases, n) && strcol(4) eq m ? inside($5) : NaN
# what is off the scale is at its edge
inside(v) = v < low ? low : v > high ? high : v

array param[5] = ["idle_us", "hot_us", "intr_poll_us", "tx_intr_us", "grace_ms"]
# what a parameter trades for throughput or for the workers' time
array trade[5] = ["exits", "exits", "looks", "interrupts", "exits"]
array label[5] = ["exits by doorbells", "exits by doorbells", "looks of the timer", "interrupts", "exits by doorbells"]

set logscale x 4
set logscale y 2
set grid y
set key off
set bars 0.5

do for [i = 1:5] {
	if (i == 1) { set xrange [10:1500]; set xtics (15, 30, 60, 120, 240, 960) }
	if (i == 2) { set xrange [3:2500]; set xtics ("0" 4, "25" 25, "50" 50, "100" 100, "200" 200, "400" 400, "1600" 1600) }
	if (i == 3) { set xrange [5:800]; set xtics (8, 15, 30, 60, 120, 480) }
	if (i == 4) { set xrange [3:1600]; set xtics ("0" 4, "16" 16, "64" 64, "256" 256, "1000" 1000) }
	if (i == 5) { set xrange [0.7:12]; set xtics (1, 2, 4, 8) }
	do for [c = 1:3] {
		m = c == 1 ? "throughput" : c == 2 ? "cpu" : trade[i]
		if (c < 3) {
			low = 0.5
			high = 2
			set ytics ("1/2" 0.5, "" 0.7071, "1" 1, "" 1.4142, "2" 2)
		} else {
			low = 0.25
			high = 4
			set ytics ("1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4)
		}
		set yrange [low:high]
		set title param[i].": ".(c == 1 ? "throughput" : c == 2 ? "CPU time of workers" : label[i])
		plot 1 with lines lc rgb '#888888' dt 2, \
			for [n = 1:3] csv using (place($2, n)):(of(param[i], n, m)):(inside($6)):(inside($7)) with yerrorbars pt 7 ps 0.5 lw 1.5 lc n
	}
}

# the last row has the key
set multiplot next
unset border
unset tics
unset grid
unset title
unset logscale
set xrange [0:1]
set yrange [0:1]
set key center center samplen 2 spacing 1.4
plot for [n = 1:3] NaN with points pt 7 lc n title word(cases, n).", median and quartiles"
unset multiplot
