# table.cmake - the mutants: what is done wrong, which test must notice, and how
#
# SPDX-License-Identifier: MIT
#
# mutants.cmake says how to read it. Kernels come in several instruction sets that must agree; an
# error is made in all of them alike, so that it is for the physics to notice, not for a comparison.

# Not an error: whoever calls this one killed would call anything so.
mutant(control "only a comment differs" test_special)
edit(src/base/special.c [=[/* The smaller of the two lost its low digits]=]
  [=[/* The smaller of both lost its low digits]=])

# ---- block Gibbs -----------------------------------------------------------------------------------

mutant(variance_1 "hidden units with variance 1 instead of 1/beta" test_gibbs)
edit(src/kernels/ref.c [=[deviation = (float)(1 / sqrt(step->beta))]=] [=[deviation = 1]=])
edit(src/kernels/gibbs_tuned.h [=[spread((float)(1 / sqrt(step->beta)))]=] [=[spread(1.0F)]=])

mutant(deviation_1_over_beta "hidden units with standard deviation 1/beta" test_gibbs)
edit(src/kernels/ref.c [=[deviation = (float)(1 / sqrt(step->beta))]=]
  [=[deviation = (float)(1 / step->beta)]=])
edit(src/kernels/gibbs_tuned.h [=[spread((float)(1 / sqrt(step->beta)))]=]
  [=[spread((float)(1 / step->beta))]=])

mutant(missing_factor_2 "p(s = +1) = 1 / (1 + exp(-beta x)), as for units of 0 and 1" test_gibbs_law)
edit(src/kernels/gibbs_draws.h [=[isg_exp(-2 * step->beta * step->gain * x)]=]
  [=[isg_exp(-1 * step->beta * step->gain * x)]=])
edit(src/kernels/gibbs_tuned.h [=[factor = 2 * step->beta * step->gain]=]
  [=[factor = step->beta * step->gain]=])

mutant(dropped_c "hidden units drawn around W^T s without c" test_gibbs)
edit(src/kernels/gibbs_draws.h [=[(float)input * w->unit + w->hidden_field[mu]]=]
  [=[(float)input * w->unit]=])
edit(src/kernels/gibbs_tuned.h [=[sums * w->unit + field]=] [=[sums * w->unit + 0 * field]=])

mutant(dropped_c_in_log_z "the field of the hidden units left out of the exact ln Z" test_exact)
edit(src/rbm/spin_model.c [=[isg_rbm_visible_input(rbm, rbm->c, field);]=]
  [=[memcpy(field, rbm->b, n * sizeof *field);]=])
edit(src/rbm/spin_model.c [=[#include <math.h>]=] [=[#include <math.h>
#include <string.h>]=])

mutant(shared_gaussian "both units of a pair get the same one of the two normals" test_gibbs)
edit(src/kernels/ref.c [=[z[q / 8])]=] [=[z[0])]=])
edit(src/kernels/gibbs_tuned.h [=[deviation * z[k];]=] [=[deviation * z[0];]=])

mutant(shared_noise "all chains of a group draw from one stream" test_gibbs)
edit(src/kernels/gibbs_draws.h [=[step->counter[1] + (uint32_t)chain]=]
  [=[step->counter[1] + 0 * (uint32_t)chain]=])
edit(src/kernels/gibbs_tuned.h [=[step->counter[1] + (uint32_t)k]=]
  [=[step->counter[1] + 0 * (uint32_t)k]=])

mutant(uniforms_of_8_bits "spins drawn from uniforms of 8 bits" test_gibbs)
edit(src/kernels/gibbs_draws.h [=[u = ((double)first * 0x1p32 + (double)more + 0.5) * 0x1p-48;]=]
  [=[u = ((double)(first >> 8) + 0.5) * 0x1p-8 + 0 * more;]=])
edit(src/kernels/gibbs_tuned.h [=[first_bits(random + v / PER_PANEL * 8, v % PER_PANEL * SINGLES)]=]
  [=[(first_bits(random + v / PER_PANEL * 8, v % PER_PANEL * SINGLES) & 0xFF00) | 0x80]=])

mutant(uniforms_of_16_bits "the bits beyond the first 16 of a uniform forgotten" test_gibbs)
edit(src/kernels/gibbs_draws.h [=[((double)first * 0x1p32 + (double)more + 0.5) * 0x1p-48;]=]
  [=[((double)first + 0.5) * 0x1p-16 + 0 * more;]=])

mutant(clipped_tail "no normal beyond 5, as a float uniform gives" test_gibbs_kernels)
edit(src/kernels/gibbs_draws.h [=[radius = sqrtf(-2.0F * (e * 0x1.62e43p-1F + s * series));]=]
  [=[radius = fminf(sqrtf(-2.0F * (e * 0x1.62e43p-1F + s * series)), 5);]=])
edit(src/kernels/gibbs_tuned.h [=[root_single(-2.0F * (e * 0x1.62e43p-1F + s * series));]=]
  [=[smaller_single(root_single(-2.0F * (e * 0x1.62e43p-1F + s * series)), spread(5));]=])

mutant(clipped_tail_in_vectors "the same, in the vectors of the tuned kernels alone" test_gibbs_kernels)
edit(src/kernels/gibbs_tuned.h [=[root_single(-2.0F * (e * 0x1.62e43p-1F + s * series));]=]
  [=[smaller_single(root_single(-2.0F * (e * 0x1.62e43p-1F + s * series)), spread(6.5F));]=])

mutant(stream_by_thread "random numbers belong to the thread, not to the chain" test_gibbs)
edit(src/sample/gibbs.c [=[(uint32_t)(sweeps->number + first));]=]
  [=[(uint32_t)(sweeps->number + first) + 1000 * (uint32_t)omp_get_thread_num());]=])

mutant(shared_clamp "every group of samples is clamped as the first" test_impute)
edit(src/sample/gibbs.c [=[step.clamped = sweeps->clamped + first * sweeps->clamped_stride;]=]
  [=[step.clamped = sweeps->clamped;]=])

mutant(majority_in_batches "what is missing in a batch is not drawn" test_train_file)
edit(src/train/train.c [=[    if (trainer->known)
        fill_batch(trainer, rows, thread);
]=] [=[    if (trainer->known && rows.begin > rows.end)
        fill_batch(trainer, rows, thread);
]=])

mutant(judged_by_made_up_values "missing values of validation data count as if known" test_validation)
edit(src/train/validation.c [=[if (!known || isg_bit(known + q * words, i))]=] [=[if (!known || words > 0)]=])

# ---- annealed importance sampling --------------------------------------------------------------------

mutant(lost_increment "the first weight is lost, as if annealing began at alpha_1" test_ais)
edit(src/log_z/anneal.c [=[            weigh(a, g, k, log_weights);
            isg_anneal_move]=] [=[            if (k > 1)
                weigh(a, g, k, log_weights);
            isg_anneal_move]=])

mutant(alphas_end_early "the last alpha is 1 - 1/K" test_ais)
edit(src/log_z/ais.c [=[(double)k / (double)options->steps;]=] [=[(double)k / (double)(options->steps + 1);]=])

mutant(weight_after_move "a state is weighed after it was moved to the next alpha" test_ais)
edit(src/log_z/anneal.c [=[            weigh(a, g, k, log_weights);
            isg_anneal_move(a, g, a->positions[k], k);]=] [=[            isg_anneal_move(a, g, a->positions[k], k);
            weigh(a, g, k, log_weights);]=])

mutant(weight_before_move_back "on the way back, weighed before it is moved" test_ais)
edit(src/log_z/anneal.c [=[            isg_anneal_move(a, g, a->positions[a->steps + 1 - k], k);
            weigh(a, g, a->steps + 1 - k, log_weights);]=] [=[            weigh(a, g, a->steps + 1 - k, log_weights);
            isg_anneal_move(a, g, a->positions[a->steps + 1 - k], k);]=])

mutant(missing_ln_chains "ln of the sum of the weights, not of their mean" test_ais)
edit(src/log_z/ais.c [=[log_sum - isg_log((double)n);]=] [=[log_sum;]=])

mutant(missing_n_ln_2 "the Z of free spins, 2^N, left out" test_ais)
edit(src/log_z/ais.c [=[(double)n_visible * ISG_LN_2 + sign * mean.value]=] [=[0 * (double)n_visible * ISG_LN_2 + sign * mean.value]=])

mutant(float_log_weights "log-weights added up in float" test_ais)
edit(src/log_z/anneal.c [=[log_weights[k] += isg_anneal_log_weight(a, isg_anneal_slope(a, g, k),
                                                a->positions[step - 1], a->positions[step]);]=]
  [=[log_weights[k] = (double)((float)log_weights[k] +
                                  (float)isg_anneal_log_weight(a, isg_anneal_slope(a, g, k),
                                                               a->positions[step - 1],
                                                               a->positions[step]));]=])

mutant(alpha_in_the_noise "annealing lambda with noise of variance 1/(alpha beta)" test_ais)
edit(src/log_z/ais_lambda.c [=[deviation = 1 / sqrt(rbm->info.beta);]=]
  [=[deviation = 1 / sqrt(alpha * rbm->info.beta);]=])

mutant(error_of_one_weight "the scatter of the weights reported as the error of their mean" test_ais)
edit(src/log_z/ais.c [=[fmax((double)n / out->ess - 1, 0) / (double)(n - 1))]=] [=[fmax((double)n / out->ess - 1, 0))]=])

# ---- other ways to ln Z --------------------------------------------------------------------------------

mutant(no_maximum_taken_out "ln of a sum of exponentials as it is written" test_special)
edit(src/base/special.c [=[isg_sum_add(&rest, isg_exp(x[i] - x[largest]));
    return x[largest] + isg_log1p(isg_sum_value(rest));]=] [=[isg_sum_add(&rest, isg_exp(x[i]));
    return isg_log(isg_sum_value(rest) + isg_exp(x[largest]));]=])

mutant(short_series "exp without the last term of its series" test_elementary)
edit(src/base/elementary.c [=[(1.0 / 24 + r * (1.0 / 120))]=] [=[(1.0 / 24)]=])

mutant(log_of_cosh "ln cosh x as log(cosh(x))" test_special)
edit(src/base/special.c [=[return size + (isg_log1p(isg_exp(-2 * size)) - ISG_LN_2);]=]
  [=[return isg_log((isg_exp(size) + isg_exp(-size)) / 2);]=])

mutant(mirror_counted_twice "a minimum and its mirror image both with full weight in the mixture" test_mixture)
edit(src/sample/proposal.c [=[part->has_mirror ? -ISG_LN_2 : 0;]=] [=[0;]=])

mutant(no_defensive_part "the mixture without the wide Gaussian that is there for what was missed" test_mixture)
edit(src/sample/mixture.c [=[isg_proposal_create(out, parts, modes + 1, log_masses, samples)]=]
  [=[isg_proposal_create(out, parts, modes > 0 ? modes : 1, log_masses, samples)]=])

# ---- training ------------------------------------------------------------------------------------------

mutant(wrong_sign "the chains are added to the data instead of taken away" test_train_exact)
edit(src/train/train.c [=[add_panel(trainer, chains, panel, -1);]=] [=[add_panel(trainer, chains, panel, 1);]=])

mutant(beta_in_the_update "the gradient's factor beta, which the paper's update has not" test_train_exact)
edit(src/train/train.c [=[my->rate * share(trainer) / (double)chains.count;]=]
  [=[my->rate * rbm->info.beta * share(trainer) / (double)chains.count;]=])

mutant(short_batch_full_step "a last batch of few samples moves the weights as far as a full one"
  test_train_exact)
edit(src/train/train.c [=[(double)trainer->batch.count / (double)(full < all ? full : all);]=]
  [=[(double)(full < all ? full : all) / (double)(full < all ? full : all);]=])

mutant(lambda_after "the last spins paired with the lambda that follows them" test_train_exact)
edit(src/train/train.c [=[if (is_end && trainer->option.estimator == ISG_ESTIMATOR_MEAN)]=] [=[if (is_end)]=])

mutant(stream_reuse "the same random numbers in every epoch" test_train)
edit(src/train/train.c [=[.step = is_persistent ? update : update * n_sweeps,]=]
  [=[.step = is_persistent ? update % trainer->state.n_batches
                                               : update % trainer->state.n_batches * n_sweeps,]=])
edit(src/train/train.c [=[.step = trainer->state.updates * n_sweeps,]=]
  [=[.step = trainer->state.batch * n_sweeps,]=])

mutant(same_order "the same order of samples in every epoch" test_train)
edit(src/train/train.c [=[trainer->option.seed, epoch, trainer->order);]=] [=[trainer->option.seed, 0, trainer->order);]=])

mutant(last_batch_dropped "samples that do not fill a mini-batch are never used" test_train)
edit(src/train/train.c [=[(data->info.n_samples - 1) / options->batch_size + 1;]=]
  [=[data->info.n_samples / options->batch_size;
    trainer->state.n_batches += trainer->state.n_batches == 0;]=])

mutant(chains_restart "persistent chains start from the data in every update" test_train_exact)
edit(src/train/train.c [=[trainer->option.persistent && state->updates == 0)]=] [=[trainer->option.persistent)]=])

mutant(not_kept "the polar step after an update skipped" test_constraint)
edit(src/train/train.c [=[    keep(my, me);
]=] [=[    if (my->rate < 0)
            keep(my, me);
]=])

mutant(polar_of_one_step "a polar factor that is only nearer to orthonormal" test_polar)
edit(src/linalg/polar.c [=[is_last = error < 1e-9;]=] [=[is_last = error < 1e-1;]=])
edit(src/linalg/polar.c [=[MOST_ROUNDS = 8]=] [=[MOST_ROUNDS = 2]=])
edit(src/linalg/polar.c [=[fmax(1e-13, (double)w.rows * DBL_EPSILON / 8)]=] [=[fmax(1e-3, (double)w.rows * DBL_EPSILON / 8)]=])

mutant(span_not_kept "the projection on the patterns dropped" test_constraint)
edit(src/train/constraint.c [=[        project(keeping, weights);
]=] [=[        (void)project;
]=])

mutant(beta_downhill "the gradient of beta with the wrong sign" test_learn_beta)
edit(src/train/train.c [=[isg_beta_after(*beta, step * isg_beta_gradient(]=] [=[isg_beta_after(*beta, -step * isg_beta_gradient(]=])

mutant(beta_without_fields "the fields left out of the gradient of beta" test_learn_beta)
edit(src/train/learn_beta.c [=[sum += b[i] * trainer->field_sums[i] / n_chains;]=]
  [=[sum += 0 * b[i] * trainer->field_sums[i] / n_chains;]=])

mutant(beta_by_sampled_hidden "the gradient of beta from the hidden units that were drawn" test_learn_beta)
edit(src/train/learn_beta.c [=[const double h = isg_gibbs_hidden_mean(w, chains->input + k * w->stride, mu);]=]
  [=[const double h = (double)chains->lambda[k * w->stride + mu];]=])

mutant(capture_of_columns "the capture from the columns of W, which need not be orthonormal" test_capture)
edit(src/rbm/capture.c [=[(isg_matd_view){u, n, rank, k}]=] [=[isg_rbm_view(rbm)]=])

mutant(experts_share_a_seed "all experts draw the same random numbers" test_experts)
edit(src/classify/experts.c [=[options->joint ? options->train.seed : isg_next_word64(&random);]=]
  [=[options->joint || true ? options->train.seed : isg_next_word64(&random);]=])

# ---- stopping and going on --------------------------------------------------------------------------------

mutant(counter_not_saved "after a resume, random numbers begin again" test_train_file)
edit(src/train/train_file.c [=[trainer->state = shot->state;]=] [=[trainer->state = shot->state;
    trainer->state.updates = 0;]=])

mutant(chains_not_saved "after a resume, persistent chains are what memory held" test_train_file)
edit(src/train/train_file.c [=[if (shot->chains)]=] [=[if (false)]=])

mutant(older_checkpoint "of two checkpoints, the older one is resumed from" test_run_directory)
edit(src/train/run_checkpoint.c [=[all[k].order > all[best].order]=] [=[all[k].order < all[best].order]=])

mutant(old_checkpoint_kept "a new run in the place of an old one leaves its checkpoints there" test_run_faults)
edit(src/train/run_directory.c [=[    for (size_t k = 0; run->path && k < ISG_GENERATIONS; k++)
        ISG_TRY(isg_remove_file(run->files[ISG_RUN_CHECKPOINT + k]));
    ISG_TRY(isg_run_set_settings(run, settings));]=] [=[    ISG_TRY(isg_run_set_settings(run, settings));]=])

mutant(no_self_term "the energy of a flip without the square of the unit's own weights" test_validation)
edit(src/train/validation.c [=[(field[q] + rbm->b[i]) - my->squares[i]]=] [=[(field[q] + rbm->b[i])]=])

mutant(best_forgotten "the best epoch is not looked for again when a run is resumed" test_validation)
edit(src/train/validation.c [=[if (k == 0 || rows[k].validation_pseudo_likelihood > my->best) {]=] [=[if (k == 0) {]=])

mutant(best_kept "best.npz of an epoch that is repeated is left as it is" test_validation)
edit(src/train/run_rbm.c [=[!(only_missing && isg_validation_is_saved(&my->validation, best))]=] [=[!only_missing]=])

mutant(unbalanced_residual "weights of classes in the loss, but not in all of its gradient" test_logistic)
edit(src/classify/logistic_loss.c [=[-(weight * others)]=] [=[-others]=])

mutant(squares_as_they_are "hidden units where their squares are asked for" test_classifier)
edit(src/classify/expert_features.c [=[map->kind == ISG_FEATURES_SQUARES ? h * h : h]=] [=[h]=])

# ---- fine-tuning -----------------------------------------------------------------------------------

mutant(tuned_uphill "the gradient of the truth's exponent with the other sign" test_tuner)
edit(src/classify/tuner_gradient.c [=[u[k] / sum - (k == truth)]=] [=[u[k] / sum + (k == truth)]=])

mutant(slope_of_a_square "the square of a hidden unit has the slope of the unit" test_tuner)
edit(src/classify/expert_features.c [=[: 2 * hidden_mean(map, input, mu) * slope]=]
  [=[: hidden_mean(map, input, mu) * slope]=])

mutant(slopes_not_scaled "features are divided by S, but not their slopes" test_tuner)
edit(src/classify/tuner_gradient.c [=[slopes[j] /= tuner->scale;]=] [=[slopes[j] /= 1;]=])

mutant(uncorrected_adam "the second moments of Adam without their correction" test_adam)
edit(src/classify/adam.c [=[growth = 1 / step->second_share;]=] [=[growth = 1;]=])

mutant(rate_stays "the rates of fine-tuning do not fall" test_tuner)
edit(src/classify/tuner_update.c [=[* (1 - (double)done / all)]=] [=[+ 0 * (1 - (double)done / all)]=])

mutant(shift_by_one_more "images moved by one more column" test_shift)
edit(src/classify/shift.c [=[down * (ptrdiff_t)shifts->width + right;]=]
  [=[down * (ptrdiff_t)shifts->width + right + 1;]=])

mutant(shift_comes_back "what leaves an image at the side comes back on the other" test_shift)
edit(src/classify/shift.c [=[i % width >= begin && i % width < end]=] [=[end > begin]=])

mutant(shift_never_far "shifts that never reach the largest" test_tuner)
edit(src/classify/tuner_gradient.c [=[(2 * most + 1) >> 32]=] [=[(2 * most) >> 32]=])

mutant(moments_forgotten "second moments that a file keeps, but nobody reads" test_tuner_file)
edit(src/classify/tuner_file.c [=[memcpy(expected->numbers, numbers, count * sizeof *numbers);]=]
  [=[if (least < 0)
        memcpy(expected->numbers, numbers, count * sizeof *numbers);]=])

mutant(json_read_once "a number that lost a digit for want of memory is believed" test_json)
edit(src/io/json.c [=[is_read = json->object && other && json_equal(json->object, other);]=]
  [=[is_read = json->object && other;]=])

mutant(no_checksum "CRC-32 of archive members read but not compared" test_zip)
edit(src/io/source.c [=[if (source->crc != source->expected_crc)]=]
  [=[if (false && source->crc != source->expected_crc)]=])

mutant(shuffled "the bytes of shuffled HDF5 items stay as they are" test_hdf5)
edit(src/io/hdf5_dataset.c [=[out[k * item_bytes + b] = in[b * count + k];]=]
  [=[out[k * item_bytes + b] = in[k * item_bytes + b];]=])

mutant(short_repeat "a repetition of lzf one byte too short" test_hdf5)
edit(src/io/hdf5_dataset.c [=[size_t length = (control >> 5) + 2;]=] [=[size_t length = (control >> 5) + 1;]=])

mutant(believed_size "the size of contiguous HDF5 items not compared with the file" test_hdf5)
edit(src/io/hdf5_dataset.c [=[(data->address > end || size > end - data->address))]=] [=[data->address > end)]=])

mutant(wide_column "one column of a wider HDF5 chunk read as if it were all of it" test_hdf5)
edit(src/io/hdf5_dataset.c [=[*got = data->block.pitch == data->type.array.item_bytes]=] [=[*got = data->block.pitch > 0]=])

mutant(csc_as_csr "the columns of a CSC matrix in AnnData taken for rows" test_dataset_hdf5)
edit(src/data/dataset_hdf5.c [=[x->is_by_column = is_csc;]=] [=[x->is_by_column = false;]=])

mutant(missing_category "a cell without a category gets the first one" test_dataset_hdf5)
edit(src/data/dataset_hdf5.c [=[ISG_TRY_GOTO(isg_h5_read_wholes(codes, 1, &code));]=]
  [=[ISG_TRY_GOTO(isg_h5_read_wholes(codes, 1, &code));
        code = code < 0 ? 0 : code;]=])

mutant(no_fsync "a file is renamed without being on the disk" test_durable)
edit(src/base/atomic_file.c [=[if (sync_whole(file->descriptor) != 0)]=] [=[if (false)]=])

mutant(rename_before_fsync "renamed first, then brought to the disk" test_durable)
edit(src/base/atomic_file.c [=[    if (sync_whole(file->descriptor) != 0)
        return write_failed(file);]=] [=[    if (rename(file->temporary, file->path) != 0 || sync_whole(file->descriptor) != 0)
        return write_failed(file);]=])
edit(src/base/atomic_file.c [=[if (!is_closed(descriptor) || rename(file->temporary, file->path) != 0)]=]
  [=[if (!is_closed(descriptor))]=])

mutant(no_directory_sync "the new name itself never brought to the disk" test_durable)
edit(src/base/atomic_file.c [=[return sync_directory(file);]=] [=[return false ? sync_directory(file) : ISG_OK;]=])

# ---- data and patterns --------------------------------------------------------------------------------------

mutant(labels_shifted "every selected sample gets the label of the next one" test_dataset)
edit(src/data/labels.c [=[taken.index[k] = all->index[rows[k]];]=]
  [=[taken.index[k] = all->index[(rows[k] + 1) % all->count];]=])

mutant(labels_in_file_order "labels with ids joined in the order of their file" test_table)
edit(src/data/label_file.c [=[joined[sample] = labels->index[k];]=]
  [=[joined[k < join->ids->count ? k : sample] = labels->index[k];]=])

mutant(row_counts_shifted "row numbers from 0 joined to row numbers from 1" test_refused_data)
edit(src/data/label_file.c [=[if (join->n_unmatched > 0 && count_differently(ids, join->ids))]=] [=[if (false)]=])

mutant(words_by_this_file "a column of words of the model read as numbers" test_table)
edit(src/data/dataset_table.c [=[model ? isg_name_index_find(&index, name) != SIZE_MAX &&]=]
  [=[model ? c->has_words && isg_name_index_find(&index, name) != SIZE_MAX &&]=])

mutant(heading_of_words "a first row of yes and no taken for a heading" test_refused_data)
edit(src/data/table.c [=[row.words - row.missing - row.truths;]=] [=[row.words - row.missing;]=])

mutant(sparse_from_one "attributes of sparse ARFF rows counted from 1" test_arff)
edit(src/io/arff.c [=[ISG_TRY(set_field(arff, k, what, word));]=] [=[ISG_TRY(set_field(arff, k ? k - 1 : 0, what, word));]=])

mutant(test_rows_in_train "one row of the second part of a split is in the first, too" test_dataset)
edit(src/data/dataset.c [=[isg_dataset_select(&one, data, rows, n_first)]=]
  [=[isg_dataset_select(&one, data, rows, n_first + 1)]=])

mutant(class_filter_off_by_one "the samples after those of the class" test_dataset)
edit(src/data/dataset_load.c [=[rows[count++] = a;]=] [=[rows[count++] = a + 1 < n ? a + 1 : a;]=])

mutant(list_cut_in_silence "a list of classes that does not fit looks like a whole one" test_refused_data)
edit(src/data/dataset_load.c [=[memcpy(known + (used < last ? used : last),]=] [=[memcpy(known + last,]=])

mutant(threshold_inclusive "a pixel at the threshold is +1" test_dataset)
edit(src/data/binarize.c [=[value > binarizer->encoding->thresholds[column]);]=] [=[value >= binarizer->encoding->thresholds[column]);]=])
edit(src/data/binarize.c [=[value > binarizer->grey_cut);]=] [=[value >= binarizer->grey_cut);]=])
edit(src/data/binarize.c [=[if (!(0 > encoding->thresholds[i]))]=] [=[if (!(0 >= encoding->thresholds[i]))]=])
edit(src/data/binarize.c [=[cut < 0 ? 256 : cut >= 255 ? 0 : 255 - (unsigned)cut;]=]
  [=[cut <= 0 ? 256 : cut > 255 ? 0 : 256 - (unsigned)ceil(cut);]=])

mutant(genes_as_samples "the matrix of a 10x directory read as cells x genes" test_refused_sparse)
edit(src/data/dataset_sparse.c [=[load->columns_are_samples = true;]=] [=[load->columns_are_samples = false;]=])

mutant(columns_as_rows "CSC read as CSR" test_refused_sparse)
edit(src/data/dataset_sparse.c [=[.is_by_column = is_by_column,]=] [=[.is_by_column = false,]=])

mutant(listed_twice "an entry that is listed twice counts once" test_refused_sparse)
edit(src/data/sparse.c [=[isg_bit_assign(seen, across, true);]=] [=[isg_bit_assign(seen, across, false);]=])

mutant(half_subnormal "the smallest float16 numbers twice as large" test_array)
edit(src/io/array.c [=[ldexp(fraction, -24)]=] [=[ldexp(fraction, -23)]=])

mutant(zero_is_up "xi of 0 and 1 all +1" test_patterns)
edit(src/patterns/pattern_file.c [=[isg_bit_assign(isg_patterns_spins(patterns, mu), i, xi[i * p + mu] > 0);]=]
  [=[isg_bit_assign(isg_patterns_spins(patterns, mu), i, xi[i * p + mu] >= 0);]=])

mutant(tie_up "a tie in the mean of a class is +1" test_patterns)
edit(src/patterns/patterns.c [=[2 * (size_t)ups[i] > count);]=] [=[2 * (size_t)ups[i] >= count);]=])

mutant(ward_in_another_order "Ward's formula with its factor 1/n taken out in front" test_ward)
edit(src/kernels/ref.c [=[kept[i] = sqrt((sizes[i] + size_a) * t * dropped[i] * dropped[i] +
                       (sizes[i] + size_b) * t * kept[i] * kept[i] - sizes[i] * t * apart * apart);]=]
  [=[kept[i] = sqrt(t * ((sizes[i] + size_a) * dropped[i] * dropped[i] +
                            (sizes[i] + size_b) * kept[i] * kept[i] - sizes[i] * apart * apart));]=])
edit(src/kernels/tuned.h [=[square_root((size + size_a) * t * dropped * dropped + (size + size_b) * t * kept * kept -
                       size * t * apart * apart);]=]
  [=[square_root(t * ((size + size_a) * dropped * dropped + (size + size_b) * kept * kept -
                            size * apart * apart));]=])

mutant(axes_not_centered "principal axes of the data with their mean left in" test_pca)
edit(src/patterns/pca.c [=[of == ISG_AXES_OF_COVARIANCE
                                     ?]=]
  [=[(int)of > (int)ISG_AXES_OF_MOMENTS
                                     ?]=])

mutant(another_order_of_sums "partial sums of L-BFGS added in another order" test_minimize)
edit(src/base/minimize.c [=[(s[0] + s[1]) + (s[2] + s[3])]=] [=[(s[0] + s[2]) + (s[1] + s[3])]=])

mutant(line_left_behind "x left on a line that led nowhere" test_minimize)
edit(src/base/minimize.c [=[    memcpy(s->x, s->start, n * sizeof *s->x);
    return false;]=] [=[    return false;]=])

mutant(standardized_by_the_test_set "features to predict from standardized by themselves" test_logistic)
edit(src/classify/logistic.c [=[isg_status isg_logistic_predict(const isg_logistic *model, isg_matd_view features, uint32_t *labels,
                                isg_matd probabilities) {]=]
  [=[static void describe_columns(isg_logistic *model, isg_matd_view features);
isg_status isg_logistic_predict(const isg_logistic *given, isg_matd_view features, uint32_t *labels,
                                isg_matd probabilities) {
    isg_logistic *model = (isg_logistic *)(uintptr_t)given;
    if (features.cols == model->n_features && features.rows > 0)
        describe_columns(model, features);]=])

# ---- Hopfield networks ----------------------------------------------------------------------------------------

mutant(sign_of_zero "a field of zero turns the spin down" test_dynamics)
edit(src/hopfield/dynamics_zero.c [=[        if (x != 0)
            isg_bit_assign]=] [=[        isg_bit_assign]=])

mutant(overlap_inclusive "an overlap at the threshold of recall counts as above it" test_recall)
edit(src/hopfield/dynamics.c [=[    if (overlap > walker->threshold)
        walker->arrival]=] [=[    if (overlap >= walker->threshold)
        walker->arrival]=])
edit(src/hopfield/dynamics.c [=[return overlap > walker->threshold;]=] [=[return overlap >= walker->threshold;]=])

mutant(diagonal_dropped "the energy without the diagonal of J" test_hopfield)
edit(src/hopfield/hopfield.c [=[energy = network->info.keeps_diagonal ? 0 : network->info.trace / 2;]=]
  [=[energy = network->info.trace / 2;]=])

mutant(diagonal_in_glauber "single spins drawn from a field that includes themselves" test_dynamics)
edit(src/hopfield/dynamics_thermal.c [=[isg_hopfield_flip_field(network, walker->h, walker->spins, i);]=]
  [=[isg_hopfield_full_field(network, walker->h, i);]=])

# ---- the mapping, as `verify` sees it ---------------------------------------------------------------

mutant(mapping_signs_of_r "rows of R made positive, columns of Q not" test_verify)
edit(src/linalg/qr.c [=[tau[j] = make_diagonal_positive(r, j) ? -1 : 1;]=]
  [=[tau[j] = make_diagonal_positive(r, j) ? 1 : 1;]=])

mutant(mapping_too_long "W longer than it should be by 1e-9 of its length" test_verify)
edit(src/linalg/qr.c [=[isg_row(q, i)[j] *= tau[j];]=] [=[isg_row(q, i)[j] *= tau[j] * (1 + 1e-9);]=])

mutant(mapping_r_turned_back "R rotated the wrong way with W" test_verify)
edit(src/mapping/hopfield_to_rbm.c [=[isg_matrix_multiply(isg_matd_of(r, k, p), rotation, ISG_TRANSPOSED,]=]
  [=[isg_matrix_multiply(isg_matd_of(r, k, p), rotation, ISG_AS_IS,]=])

mutant(mapping_tau_in_float "the factor of a reflector rounded to float" test_verify)
edit(src/linalg/qr.c [=[*tau = -pivot / value;]=] [=[*tau = (double)(float)(-pivot / value);]=])

mutant(mapping_reflectors_apart "reflectors of a panel applied as if they did not meet" test_verify)
edit(src/linalg/qr.c [=[work->t[i * width + k] = -tau[k] * sum;]=]
  [=[work->t[i * width + k] = -0 * sum;]=])

mutant(mapping_lost_stretch "of a long sum, only the last stretch" test_verify)
edit(src/linalg/product.c [=[const isg_update how = update == ISG_SET && begin > 0 ? ISG_ADD : update;]=]
  [=[const isg_update how = update;]=])

mutant(mapping_hebbian_root "Hebbian weights xi / N" test_verify)
edit(src/hopfield/hopfield.c [=[const double root = sqrt((double)n);]=] [=[const double root = (double)n;]=])

mutant(mapping_sums_in_float "the sums of the network kept in float" test_verify)
edit(src/hopfield/hopfield.c [=[double sums[CHUNK] = {0}, part[CHUNK];]=]
  [=[float sums[CHUNK] = {0}; double part[CHUNK];]=])
edit(src/hopfield/hopfield.c [=[sums[q] += part[q];]=] [=[sums[q] += (float)part[q];]=])
edit(src/hopfield/hopfield.c [=[2 * sums[q] - network->total]=] [=[2 * (double)sums[q] - network->total]=])

mutant(mapping_down_forgotten "sums over the units that are up alone" test_verify)
edit(src/hopfield/hopfield.c [=[2 * sums[q] - network->total[first + q];]=] [=[2 * sums[q];]=])

mutant(mapping_dual_transposed "projections by r^-1 for r^-T" test_verify)
edit(src/hopfield/hopfield.c [=[ISG_TRY_GOTO(isg_triangular_solve(isg_matd_of(transposed, rank, p), isg_matd_const(triangle),
                                      ISG_UPPER, ISG_AS_IS));]=]
  [=[ISG_TRY_GOTO(isg_triangular_solve(isg_matd_of(transposed, rank, p), isg_matd_const(triangle),
                                      ISG_UPPER, ISG_TRANSPOSED));]=])

mutant(mapping_overlap_scale "the overlap machine without 1 / sqrt(N)" test_verify)
edit(src/theory/machines.c [=[y[mu] /= scale;]=] [=[y[mu] /= 1 + 0 * scale;]=])

mutant(mapping_half_solved "the projection machine solved with one factor of A" test_verify)
edit(src/theory/machines.c [=[isg_machine_solve_lower(machine, y);
        isg_machine_solve_upper(machine, y);
        return;]=] [=[isg_machine_solve_lower(machine, y);
        return;]=])

# ---- populations, wells and deep states --------------------------------------------------------------

mutant(start_not_conditioned "the states outside the balls counted as all 2^N" test_population)
edit(src/log_z/population.c [=[(tries > my->count ? isg_log((double)(my->count - 1) / (double)(tries - 1)) : 0)]=]
  [=[0 * (double)tries]=])

mutant(start_inside "free spins of the first population drawn inside the balls, too" test_population)
edit(src/log_z/population.c [=[find_inside(my, g->input + k * w->stride, 1, h, &is_inside);]=]
  [=[is_inside = h == NULL;]=])

mutant(forgotten_weights "every state is copied once, whatever its weight" test_population)
edit(src/log_z/population.c [=[cumulated += my->weights[k];]=] [=[cumulated += sum / (double)n;]=])

mutant(sweeps_not_undone "sweeps that end in a ball are kept" test_population)
edit(src/log_z/population.c [=[            if (is_inside[k]) {]=] [=[            if (is_inside[k] && beta < 0) {]=])

mutant(tiles_sign "the sign of the product in a distance, for many states at once" test_population)
edit(src/log_z/population.c [=[squares[k] + balls->squares[m] - 2 * along]=]
  [=[squares[k] + balls->squares[m] + 2 * along]=])

mutant(mirror_dropped "a ball without its mirror image" test_population)
edit(src/log_z/population.c [=[*sign = balls->is_even && product < 0 ? -1 : 1;]=] [=[*sign = 1;]=])

mutant(error_of_families "the squares of the families as the variance of Z" test_population)
edit(src/log_z/population.c [=[isg_exp((1 + rounded * my->rounding) / n)]=] [=[1]=])

mutant(rejections_counted "rejected sweeps from the deepest state counted as moves" test_wells)
edit(src/log_z/wells.c [=[    return moved;]=] [=[    return moved + (g->count - moved);]=])

mutant(chib_sign "the probability of the deepest state multiplies Z" test_wells)
edit(src/log_z/wells.c [=[isg_log(staying) - log_mean +]=] [=[isg_log(staying) + log_mean +]=])

mutant(chib_mirror "a well without its mirror image in Chib's estimate" test_wells)
edit(src/log_z/wells.c [=[(wells->balls.is_even ? ISG_LN_2 : 0),]=] [=[0,]=])

mutant(top_elsewhere "chains start from a state that may be in another well" test_wells)
edit(src/log_z/wells.c [=[    if (is_own(a, wells, m, b))
        return true;]=] [=[    if (is_own(a, wells, m, b) || step < UINT64_MAX)
        return true;]=])

mutant(bridge_terms "draws and chains compared by different functions" test_wells)
edit(src/log_z/well_draws.c [=[const double term = w / (1 + ratio * w);]=] [=[const double term = w / (1 + w);]=])

mutant(draws_outside "draws that are in no well count" test_wells)
edit(src/log_z/well_draws.c [=[(my->wells[k] < count) == in_wells ?]=] [=[(my->wells[k] < count) >= in_wells || in_wells ?]=])

mutant(deep_states_withheld "ground states a + b - c are not looked for" test_deep_states)
edit(src/log_z/deep_search.c [=[        ISG_TRY_GOTO(combine(list, &combined, &starts, &next));]=] [=[        (void)combine; next = HUGE_VAL;]=])

mutant(bound_counts_twice "a bound with twice the states" test_deep_states)
edit(src/log_z/deep_states.c [=[return largest + isg_log(sum) + (list->is_even ? ISG_LN_2 : 0);]=]
  [=[return largest + isg_log(sum) + ISG_LN_2;]=])

mutant(bound_ignored "an estimate below the bound is left as it is" test_deep_states)
edit(src/log_z/deep_states.c [=[found->value = fmax(found->value, found->bound);]=] [=[(void)found;]=])

mutant(rest_inside "the population of the rest is one of all states" test_split)
edit(src/log_z/split.c [=[job.outside = &my->wells.balls;]=] [=[job.outside = NULL;]=])

mutant(any_family "however large a family of the population is" test_verdict)
edit(src/log_z/verdict.c [=[here->family > largest_family || here->squares > most_squares]=] [=[here->squares > most_squares]=])

mutant(stiff_forgotten "spins that sweeps hardly flip are left to sweeps" test_split)
edit(src/log_z/stiff.c [=[stiffness = 2;]=] [=[stiffness = 2e300;]=])

mutant(stiff_own_field "a spin is drawn in a field that contains itself" test_stiff)
edit(src/log_z/stiff.c [=[- s * stiff->squares[q] +]=] [=[- 0 * s * stiff->squares[q] +]=])

mutant(stiff_escapes "spins are drawn wherever that leads" test_stiff)
edit(src/log_z/stiff.c [=[if (may_be && !may_be(user, h)) {]=] [=[if (may_be && !may_be(user, h) && k > SIZE_MAX - 1) {]=])

mutant(excess_overlooked "wells and rest are trusted though a population found more" test_verdict)
edit(src/log_z/verdict.c [=[if (excess > most_excess]=] [=[if (excess > 1e300 * most_excess]=])

mutant(one_estimate "two estimates of the wells that differ are trusted" test_verdict)
edit(src/log_z/verdict.c [=[out->apart = fmax(out->apart, fabs(of[k].log_z - of[out->way].log_z) / error);]=] [=[out->apart = fmin(out->apart, fabs(of[k].log_z - of[out->way].log_z) / error);]=])

# ---- learned patterns -----------------------------------------------------------------------------

mutant(learned_spread "the part of a flip that is quadratic in it forgotten" test_learn)
edit(src/patterns/learn.c [=[2 * change * turned + 4 * my->spreads[i];]=] [=[2 * change * turned;]=])

mutant(learned_others "the other patterns' share of a unit left in" test_learn)
edit(src/patterns/learn.c [=[my->lengths[i] = 1 - dot(my, x, my->xi + i * p);]=] [=[my->lengths[i] = 1;]=])

mutant(learned_stale "second moments of a pattern not updated by a flip" test_learn)
edit(src/patterns/learn.c [=[my->moments[j * p + mu] += change *]=] [=[my->moments[j * p + mu] += 0 * change *]=])

mutant(learned_memory "memory that rewards leaving the mean" test_learn)
edit(src/patterns/learn.c [=[my->memory * change * my->means]=] [=[-my->memory * change * my->means]=])

mutant(learned_part "a stop keeps a part of a round, from which learning goes on in another way" test_learn)
edit(src/patterns/learn.c [=[if (!before->patterns)]=] [=[if (before)]=])

mutant(unit_column_tail "samples past the last count as +1" test_pca)
edit(src/patterns/unit_columns.c [=[memset(bits + rows, 0, (64 - rows) * sizeof *bits);]=]
  [=[memset(bits + rows, 255, (64 - rows) * sizeof *bits);]=])
# ---- jumps and tempering ----------------------------------------------------------------------------

mutant(jump_without_proposal "jumps accepted by the ratio of the target alone" test_moves)
edit(src/sample/jump.c [=[log_weights[lane] -= log_density[lane];]=] [=[log_weights[lane] -= 0 * log_density[lane];]=])

mutant(label_time_without_change "an autocorrelation time of labels that never change" test_moves)
edit(src/sample/nearest_pattern.c [=[changes > 0 && variance > 1e-14]=] [=[variance > 1e-14]=])

mutant(untried_swaps "swaps that were never tried count as refused" test_moves)
edit(src/sample/tempering.c [=[: (double)NAN;
}]=] [=[: 0;
}]=])

mutant(jump_without_mirror "proposals never at the mirror image, which the density counts" test_moves)
edit(src/sample/proposal.c [=[const double sign = part->has_mirror && isg_next_word(random) & 1 ? -1 : 1;]=]
  [=[const double sign = part->has_mirror && isg_next_word(random) & 1 ? 1 : 1;]=])

mutant(jump_without_hidden_field "the hidden units weighed as if their field were zero" test_moves)
edit(src/sample/jump.c [=[(double)lambda[mu] - c;]=] [=[(double)lambda[mu] - 0 * c;]=])

mutant(jump_lambda_without_field "hidden units after a jump without their field" test_moves)
edit(src/sample/jump.c [=[lambda[mu] = (float)(delta[mu] + jumps->hidden_field[mu]);]=] [=[lambda[mu] = (float)delta[mu];]=])

mutant(jump_spins_without_field "spins after a jump drawn without b and W c" test_moves)
edit(src/sample/jump.c [=[x[i] = target->field[i];]=] [=[x[i] = 0 * target->field[i];]=])

mutant(jump_keeps_spins "hidden units jump without their spins" test_moves)
edit(src/sample/jump.c [=[isg_sample_spins(random, target->n, target->beta, x, spins);]=] [=[(void)random;]=])

mutant(jump_stale_input "the spins jump, the sum over them does not" test_moves)
edit(src/sample/jump.c [=[isg_kernels_get()->hidden_input(w, 1, spins, states->input + k * w->stride);]=] [=[]=])

mutant(jump_old_target "the target of jumps stays the RBM that the mixture was fitted to" test_moves)
edit(src/sample/jump.c [=[    memcpy(jumps->weights, rbm->weights, n * p * sizeof *jumps->weights);]=]
  [=[    if (jumps->info.fits == 0)
        memcpy(jumps->weights, rbm->weights, n * p * sizeof *jumps->weights);]=])

mutant(jump_same_part "every proposal from the first Gaussian" test_moves)
edit(src/sample/proposal.c [=[part_of(proposal, (size_t)isg_next_below(random, proposal->samples))]=]
  [=[part_of(proposal, 0 * (size_t)isg_next_below(random, proposal->samples))]=])

mutant(draw_without_moves "samples as data by sweeps, which change no modes" test_moves)
edit(src/sample/draw.c [=[isg_chains_move(chains, &how->moves, now, how->beta)]=]
  [=[isg_chains_move(chains, NULL, now, how->beta)]=])

mutant(draw_repeats "the first round of samples as data again and again" test_moves)
edit(src/sample/draw.c [=[if (k == 0)]=] [=[if (a == 0)]=])

mutant(expected_of_draws "the expected acceptance as a mean over draws, not over the target" test_moves)
edit(src/sample/mixture.c [=[isg_exp(fmin(log_weights[i], log_weights[j]) - log_mean)]=]
  [=[isg_exp(fmin(log_weights[j] - log_weights[i], 0) + 0 * log_mean)]=])

mutant(swap_sign "swaps accepted by the inverse of the ratio" test_moves)
edit(src/sample/tempering.c [=[(higher - lower);]=] [=[(lower - higher);]=])

mutant(swap_always "every swap accepted" test_moves)
edit(src/sample/tempering.c [=[u < isg_exp(fmin(log_ratio, 0))]=] [=[u < isg_exp(0 * fmin(log_ratio, 0))]=])

mutant(swap_even_only "odd pairs of temperatures never swap" test_moves)
edit(src/sample/tempering.c [=[first = step % 2;]=] [=[first = step % 2 * 0;]=])

mutant(swap_stale_input "swaps of spins without the sums over them" test_moves)
edit(src/sample/tempering.c [=[w->stride * sizeof *hot->input);
    return true;]=] [=[0);
    return true;]=])

mutant(one_temperature "replicas swept at the beta of the coldest" test_moves)
edit(src/sample/tempering.c [=[sweeps.beta = my->betas[t];]=] [=[sweeps.beta = my->betas[0];]=])

mutant(replicas_unclamped "hot replicas move clamped spins" test_moves)
edit(src/sample/tempering.c [=[.clamped = chains->has_clamped ? chains->clamped : NULL};]=] [=[.clamped = NULL};]=])

mutant(label_without_mirror "a state near a mirror image counts as the pattern's" test_moves)
edit(src/sample/nearest_pattern.c [=[label = 2 * (uint32_t)mu + side;]=] [=[label = 2 * (uint32_t)mu;]=])

mutant(label_covariance "the mean of the labels' indicators not taken out" test_moves)
edit(src/sample/nearest_pattern.c [=[((double)same - isg_sum_value(means)) / values + sum_of_squares(seen)]=]
  [=[((double)same - 0 * isg_sum_value(means)) / values]=])

# ---- a layer on top ----------------------------------------------------------------------------------

mutant(deep_no_variance "the variance of the posterior left out of the Gaussians" test_elbo)
edit(src/deep/deep_model.c [=[factor.data[mu * p + mu] += 1 / beta;]=] [=[factor.data[mu * p + mu] += 1e-6 / beta;]=])

mutant(deep_no_trace "E_q[ln p(lambda | k)] as if lambda were its mean" test_elbo)
edit(src/deep/deep_model.c [=[trace / (2 * beta);]=] [=[0 * trace / (2 * beta);]=])

mutant(deep_no_prior "the shares of the classes left out" test_elbo)
edit(src/deep/deep_model.c [=[model->logs[k] = isg_log(model->shares[k])]=] [=[model->logs[k] = 0 * isg_log(model->shares[k])]=])

mutant(deep_no_prior_in_rule "quadratic discriminants of classes that are equally frequent" test_elbo)
edit(src/deep/elbo.c [=[logs[k] = isg_log(model->shares[k])]=] [=[logs[k] = 0 * isg_log(model->shares[k])]=])

mutant(deep_spin_sign "spins pulled the wrong way by their inputs" test_elbo)
edit(src/deep/reconstruction.c [=[sum += isg_spin(spins, i) * input[i];]=] [=[sum -= isg_spin(spins, i) * input[i];]=])

mutant(deep_spread_of_x "the spread of x in place of that of beta x" test_elbo)
edit(src/deep/reconstruction.c [=[sqrt(rbm->info.beta * square)]=] [=[sqrt(square / rbm->info.beta)]=])

mutant(deep_no_entropy "the entropy of q left out of the bound" test_elbo)
edit(src/deep/elbo.c [=[out->reconstruction[first + a] + entropy;]=] [=[out->reconstruction[first + a] + 0 * entropy;]=])

mutant(deep_best_class "the bound of the best class in place of their sum" test_elbo)
edit(src/deep/elbo.c [=[rest + isg_log_sum_exp(terms, n_classes);]=] [=[rest + terms[largest_of(terms, n_classes)];]=])

mutant(deep_no_hidden_field "moments of W^T s without the hidden field" test_deep_fit)
edit(src/deep/class_moments.c [=[isg_rbm_view(my->rbm), my->rbm->c, NULL)]=] [=[isg_rbm_view(my->rbm), NULL, NULL)]=])

mutant(deep_pooled_alike "the pooled covariance without the shares of the classes" test_deep_fit)
edit(src/deep/deep_fit.c [=[pooled[i] += raw->shares[k] *]=] [=[pooled[i] += 1.0 / (double)raw->n_classes *]=])

mutant(deep_peeking "candidates fitted to the samples they are tried on" test_deep_fit)
edit(src/deep/choice.c [=[isg_deep_moments(&my.raw, rbm, fitted,]=] [=[isg_deep_moments(&my.raw, rbm, data,]=])

mutant(deep_stale_reconstruction "a later beta judged by the reconstruction at the first" test_deep_fit)
edit(src/deep/choice.c [=[.has_reconstruction = !is_first,]=] [=[.has_reconstruction = !is_first || my->trials->count > 0,]=])

mutant(deep_wrong_series "the tail of wide units in powers of 1 / (2 t^2)" test_log_cosh_mean)
edit(src/deep/log_cosh_mean.c [=[factor /= 4 * t * t;]=] [=[factor /= 2 * t * t;]=])

mutant(deep_few_nodes "half as many nodes as the widest unit needs" test_log_cosh_mean)
edit(src/deep/log_cosh_mean.c [=[least + ISG_LANES - 1) / ISG_LANES;]=] [=[least / 2 + ISG_LANES - 1) / ISG_LANES;]=])

mutant(deep_independent_units "hidden units drawn without their correlations" test_deep_sample)
edit(src/deep/deep_sample.c [=[lambda[mu] += factor[mu * p + nu] * z[nu];]=] [=[lambda[mu] += factor[mu * p + nu] * z[mu];]=])

mutant(deep_equal_classes "classes drawn as if all were equally frequent" test_deep_sample)
edit(src/deep/deep_sample.c [=[sum += model->shares[k];]=] [=[sum += 0 * model->shares[k] + 1;]=])

# ---- equilibrium training --------------------------------------------------------------------------

mutant(equilibrium_without_jumps "persistent chains that only seem to jump" test_equilibrium)
edit(src/train/train.c [=[if (trainer->equilibrium && trainer->equilibrium->is_jumping)]=]
  [=[if (trainer->equilibrium && trainer->equilibrium->count == 0)]=])

mutant(equilibrium_old_target "chains in equilibrium with the weights of the last fit" test_equilibrium)
edit(src/train/equilibrium.c [=[my->info.is_jumping && isg_jumps_set_rbm(my->jumps, my->rbm) == ISG_OK;]=]
  [=[my->info.is_jumping;]=])

mutant(equilibrium_same_numbers "the same random numbers for all jumps" test_equilibrium)
edit(src/train/train.c [=[.step = now.step + now.count - 1};]=] [=[.step = 0};]=])

mutant(equilibrium_mean_before "the mean of hidden units from before the jump" test_equilibrium)
edit(src/train/train.c [=[        accepted +=
            isg_states_jump_blocks(chains,]=] [=[        if (trainer->option.estimator == ISG_ESTIMATOR_MEAN)
            pair_with_means(&trainer->weights, chains, rows);
        accepted +=
            isg_states_jump_blocks(chains,]=])
edit(src/train/train.c [=[    if (trainer->option.estimator == ISG_ESTIMATOR_MEAN)
        pair_with_means(&trainer->weights, chains, rows);
}]=] [=[}]=])

mutant(equilibrium_resumed_mixture "after loading, the mixture is fitted to the weights as they are" test_equilibrium)
edit(src/train/equilibrium.c [=[copy_parameters(my->fitted, state->fitted);]=] [=[copy_parameters(my->fitted, my->rbm);]=])

mutant(equilibrium_resumed_at_once "after loading, a mixture is due" test_equilibrium)
edit(src/train/equilibrium.c [=[my->next_fit = state->next_fit;]=] [=[my->next_fit = 0;]=])

mutant(equilibrium_impatient "after a failure, the next fit as soon as ever" test_equilibrium)
edit(src/train/equilibrium.c [=[<< (my->failures < PATIENCE ? my->failures : PATIENCE)]=] [=[<< 0]=])

mutant(equilibrium_counts_once_more "jumps of an earlier update, by other threads" test_equilibrium)
edit(src/train/train.c [=[    memset(trainer->accepted + rows.begin, 0, count * sizeof *trainer->accepted);
]=] [=[]=])

mutant(ranks_without_rows "rows of W that other ranks have moved stay as they were" test_train_ranks)
edit(src/train/train_ranks.c [=[    isg_gather_rows(rbm->weights, p * sizeof *rbm->weights, n, ISG_PANEL);
]=] [=[    (void)p;
]=])

mutant(ranks_without_spins "spins of other ranks' chains stay as they were" test_train_ranks)
edit(src/train/train_ranks.c [=[out[0] = (isg_gathered){states->spins, w->words * sizeof *states->spins};]=]
  [=[out[0] = (isg_gathered){states->spins, 0};]=])

mutant(ranks_overlap "two ranks take the same row" test_ranks)
edit(src/base/ranks.c [=[const size_t begin = groups.begin * grain, end = groups.end * grain;]=]
  [=[const size_t begin = groups.begin * grain, end = (groups.end + 1) * grain;]=])

mutant(deep_parts_sharp "the weights of parts squared" test_deep_fit)
edit(src/deep/part_moments.c [=[terms[a * parts + j] = isg_exp(terms[a * parts + j] - one);]=]
  [=[terms[a * parts + j] = isg_exp(2 * (terms[a * parts + j] - one));]=])

mutant(deep_parts_alike "parts that are all equally frequent" test_deep_fit)
edit(src/deep/part_moments.c [=[all += my->model->shares[j] = fmax(sum, 0.5);]=] [=[all += my->model->shares[j] = fmax(0 * sum, 0.5);]=])

mutant(deep_first_part "samples of a class from its first part" test_deep_sample)
edit(src/deep/deep_sample.c [=[while (part + 1 < first + parts &&]=] [=[while (part + parts < first + parts &&]=])

mutant(deep_one_part "the first part of a class alone in its probability" test_elbo)
edit(src/deep/elbo.c [=[isg_log_sum_exp(terms + k * model->parts, model->parts);]=] [=[isg_log_sum_exp(terms + k * model->parts, 1);]=])
